"""The dashboard's entrypoint: which pages there are. Run it with `streamlit run dashboard.py`."""

from embgeo.ui import frame

frame.route()

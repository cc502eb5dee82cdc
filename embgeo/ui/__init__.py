"""The dashboard: the only code that imports streamlit."""

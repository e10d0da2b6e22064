"""The parts of the Space; imported by `app.py` only."""

"""What `app.py` shows; only `app.py` imports it."""

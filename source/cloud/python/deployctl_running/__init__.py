"""Parts of runner.py."""

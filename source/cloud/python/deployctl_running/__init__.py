"""The parts of runner.py."""

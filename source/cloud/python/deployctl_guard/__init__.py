"""The parts of inspect_exec.py: a script's top level is run, and kept from doing harm."""

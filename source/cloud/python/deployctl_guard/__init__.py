"""Parts of inspect_exec.py, which runs a script's top level in a sandbox."""

"""The parts of inspect_ast.py: a script is read, never run."""

"""Parts of inspect_ast.py, which reads a script without running it."""

"""Parts of inspect_ast.py, which reads a script without running it."""

import os
import sys

# Names that scripts import: their keywords are checked by the same code that runs in replicas.
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "shim"))

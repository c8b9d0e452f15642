"""Reads a script's configuration without running it.

    python3 -I -S inspect_ast.py FILE [NAME]

Prints one JSON document: {"inspection": {...}} or {"problem": {"kind", "sentence", "hint", "file",
"line", "text"}}. `os.environ` is resolved against this process's own environment.
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from deployctl_reading.document import read_document  # noqa: E402
from deployctl_reading.problem import Problem  # noqa: E402


def main():
    file, name = (sys.argv[1:] + [None])[:2]
    try:
        document = read_document(os.path.abspath(file), name, dict(os.environ))
        answer = {"inspection": document}
    except Problem as problem:
        answer = {"problem": problem.document}
    # ASCII output can represent any name in a script.
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()

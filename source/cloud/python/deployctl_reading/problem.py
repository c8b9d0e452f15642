"""Problem that prevents a deployment, with texts for users."""


class Problem(Exception):
    """`kind` is stable: script_missing, syntax_error, target_missing, target_unclear,
    keyword_invalid, script_error, guard_refused, timeout."""

    def __init__(self, kind, sentence, hint=None, file=None, line=None, text=None):
        super().__init__(sentence)
        self.document = {
            "kind": kind,
            "sentence": sentence,
            "hint": hint,
            "file": file,
            "line": line,
            "text": text,
        }

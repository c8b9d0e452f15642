"""Keywords of a decorator that have no effect."""


class Findings:
    """`names`: keywords that are not honoured. `warnings`: pairs of a code and a sentence."""

    def __init__(self, keywords, honoured, ignored):
        without_effect = [name for name in keywords if name in ignored]
        unknown = [name for name in keywords if name not in ignored and name not in honoured]
        self.names = without_effect + unknown
        self.warnings = []
        if without_effect:
            verb = "has" if len(without_effect) == 1 else "have"
            sentence = "%s %s no effect here" % (", ".join(without_effect), verb)
            self.warnings.append(("keywords_ignored", sentence))
        for name in unknown:
            sentence = "Unknown keyword %s is ignored%s" % (name, close_match(name, honoured))
            self.warnings.append(("keyword_unknown", sentence))

    def tell(self):
        """Prints the warnings to the log of a replica."""
        import sys

        for _, sentence in self.warnings:
            print("deployctl: %s" % sentence, file=sys.stderr)


def close_match(name, names):
    """Returns the end of a sentence that suggests a similar name, or ""."""
    import difflib  # imported late, as every Python of a replica loads this file

    near = difflib.get_close_matches(name, sorted(names), 1)
    return "; did you mean %s?" % near[0] if near else ""

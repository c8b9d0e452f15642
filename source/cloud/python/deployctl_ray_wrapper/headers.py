"""Headers that a proxy passes on, as pairs of bytes."""

# Headers for one connection only (RFC 9110, 7.6.1). The body's framing is made anew.
_HOP_BY_HOP = {
    b"connection",
    b"keep-alive",
    b"proxy-authenticate",
    b"proxy-authorization",
    b"proxy-connection",
    b"te",
    b"trailer",
    b"transfer-encoding",
    b"upgrade",
    b"expect",
}


def end_to_end(pairs):
    """Returns the headers without those for one connection alone; names in lower case."""
    pairs = [(name.lower(), value) for name, value in pairs]
    named = {
        word.strip().lower()
        for name, value in pairs
        if name == b"connection"
        for word in value.split(b",")
    }
    return [(name, value) for name, value in pairs if name not in _HOP_BY_HOP | named]


def as_text(pairs):
    """Returns the headers as aiohttp takes them."""
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in pairs]

"""Server of uvicorn that runs the functions of the replica's exit."""

import uvicorn

from deployctl import _exits


def server_of(app, port):
    """Returns a server of an ASGI app that finishes running requests when it is told to stop."""
    return _Server(uvicorn.Config(app, host="127.0.0.1", port=port, access_log=False))


class _Server(uvicorn.Server):
    def handle_exit(self, sig, frame):
        _exits.run_all()
        super().handle_exit(sig, frame)

"""Threaded WSGI server of the standard library, for WSGI apps."""

import socketserver
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server


def serve(app, port):
    """Serves until the process is told to stop, and finishes running requests."""
    server = make_server("127.0.0.1", port, app, _Server, _Handler)
    try:
        server.serve_forever()
    finally:
        server.server_close()


class _Server(socketserver.ThreadingMixIn, WSGIServer):
    request_queue_size = 128


class _Handler(WSGIRequestHandler):
    def address_string(self):
        return self.client_address[0]  # without a look-up of its name

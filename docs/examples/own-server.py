"""A server of Python's standard library, with deployctl's own decorator.

    deployctl deploy docs/examples/own-server.py
"""

import http.server
import json

import deployctl


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"path": self.path, "replica": deployctl.replica_id()}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@deployctl.app(port=8000, max_multiplexing=16, keep_alive=300)
def serve():
    http.server.ThreadingHTTPServer(("", deployctl.port()), Handler).serve_forever()

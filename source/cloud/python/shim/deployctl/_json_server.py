"""Small threaded JSON server, for replicas without FastAPI."""

import asyncio
import contextlib
import inspect
import json
import sys
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from deployctl import _arguments, _request


def serve(routes, port):
    """Serves until the process is told to stop, and finishes running requests."""
    server = _Server(("127.0.0.1", port), _Handler)
    server.routes = {route.path: route for route in routes}
    server.loop = _start_loop()
    try:
        server.serve_forever()
    finally:
        server.server_close()
        server.finish()


class _Server(ThreadingHTTPServer):
    # HTTP server whose idle connections do not delay the exit.
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._answering = 0
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def answering(self):
        with self._changed:
            self._answering += 1
        try:
            yield
        finally:
            with self._changed:
                self._answering -= 1
                self._changed.notify_all()

    def finish(self):
        """Waits for running requests."""
        with self._changed:
            self._changed.wait_for(lambda: self._answering == 0)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.answering():
            self._get()

    def do_POST(self):
        with self.server.answering():
            self._post()

    def _get(self):
        path = self.path.split("?")[0]
        route = self.server.routes.get(path)
        if route is not None and (route.is_health_check or not _arguments.names(route.function)):
            self._answer(route, {})
        elif route is not None:
            self._send(405, {"detail": "Method Not Allowed"}, {"Allow": "POST"})
        elif path == "/health":  # functions have no such route
            self._send(200, {"status": "ok"})
        else:
            self._send(404, {"detail": "Not Found"})

    def _post(self):
        body = self._read_body()
        if body is None:
            return
        route = self.server.routes.get(self.path.split("?")[0])
        if route is None:
            self._send(404, {"detail": "Not Found"})
            return
        if route.is_websocket:
            self._send(501, {"detail": "%s needs fastapi and uvicorn" % route.path})
            return
        try:
            fields = json.loads(body or b"{}")
        except ValueError as error:
            self._send(422, {"detail": [_fault(["body"], "the body is not valid JSON: %s" % error)]})
            return
        self._answer(route, fields)

    def _answer(self, route, fields):
        _request.headers.set({name.lower(): value for name, value in self.headers.items()})
        try:
            arguments = _arguments.read(route.function, fields)
        except _arguments.Refused as refusal:
            self._send(422, {"detail": refusal.detail})
            return
        try:
            result = self._finish(route.function(**arguments))
            is_stream = hasattr(result, "__next__")
            body = b"" if is_stream else _encode(_arguments.to_json(result))
        except Exception as error:
            self._send_error(error)
            return
        if is_stream:
            self._stream(result)
        else:
            self._send_body(200, body)

    def _finish(self, result):
        if not inspect.iscoroutine(result):
            return result
        return asyncio.run_coroutine_threadsafe(result, self.server.loop).result()

    def _read_body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return self._read_chunks()
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit():
            self._send(400, {"detail": "Content-Length is not a number"}, {"Connection": "close"})
            return None
        return self.rfile.read(int(length))

    def _read_chunks(self):
        body = b""
        while True:
            try:
                size = int(self.rfile.readline().split(b";")[0], 16)
            except ValueError:
                self._send(400, {"detail": "a chunk has no size"}, {"Connection": "close"})
                return None
            if size == 0:
                while self.rfile.readline().strip():
                    pass
                return body
            body += self.rfile.read(size)
            self.rfile.readline()

    def _send_error(self, error):
        answer = _request.answer_of(error)
        if answer is not None:
            self._send(*answer)
            return
        traceback.print_exception(type(error), error, error.__traceback__)
        self._send(500, {"detail": "Internal Server Error"})

    def _send(self, status, document, headers=None):
        self._send_body(status, _encode(document), headers)

    def _send_body(self, status, body, headers=None):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, parts):
        """Sends the items of a generator as they come."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for part in parts:
                data = part if isinstance(part, bytes) else str(part).encode()
                if data:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has disconnected
        except Exception:
            # The response has started, so only closing the connection can signal the failure.
            traceback.print_exc()
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format, *arguments):
        print("%s %s" % (self.address_string(), format % arguments), file=sys.stderr)


def _encode(document):
    return json.dumps(document).encode()


def _start_loop():
    """Starts one event loop for asynchronous functions, so that they can share resources."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


def _fault(place, message):
    return {"loc": place, "msg": message, "type": "value_error"}

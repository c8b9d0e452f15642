"""ASGI app that passes requests on to the replica's server, unchanged and without buffering."""

import asyncio

import aiohttp
import yarl

from deployctl_ray_wrapper import web_socket
from deployctl_ray_wrapper.headers import as_text, end_to_end

_SET_BY_AIOHTTP = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
_LARGEST_HEADER_BYTES = 65536
_CONNECT_SECONDS = 10
_PROBE_SECONDS = 1
_STATE = b"x-dctl-replica"
_ALIVE = (_STATE, b"alive")
# Tells the gateway to send the request to another replica.
_DEAD = (_STATE, b"dead")
# Headers of a reply that are not passed on. Serve's proxy always sends the first two itself.
_REPLACED = (b"date", b"server", _STATE)
_PLAIN = (b"content-type", b"text/plain; charset=utf-8")


class Relay:
    """Passes requests on once `connect` was called."""

    def __init__(self):
        # Number of requests and WebSockets.
        self.running = 0
        self.session = None
        self._port = None
        self._give_up = None

    def connect(self, port, give_up):
        """Sets the server's port on this machine, and a function to call when it is closed."""
        self._port = port
        self._give_up = give_up

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        if self.session is None:
            self.session = _new_session()
        self.running += 1
        try:
            if scope["type"] == "websocket":
                await web_socket.relay(self, scope, receive, send)
            else:
                await self._relay(scope, receive, send)
        finally:
            self.running -= 1

    def url(self, scope):
        """Returns the server's URL: the path below the application's prefix, as it was sent."""
        path = (scope.get("raw_path") or scope["path"].encode()).partition(b"?")[0]
        path = path.removeprefix(scope.get("root_path", "").encode()) or b"/"
        query = scope.get("query_string", b"")
        rest = (path + b"?" + query if query else path).decode("latin-1")
        return yarl.URL("http://127.0.0.1:%d%s" % (self._port, rest), encoded=True)

    async def failure(self):
        """Returns status, headers and body for a request that the server gave no reply."""
        if await self._is_closed():
            self._give_up()
            return 503, [_PLAIN, _DEAD], b"The app's server has ended.\n"
        return 502, [_PLAIN, _ALIVE], b"The app's server closed the connection without a reply.\n"

    async def _relay(self, scope, receive, send):
        body = _Body(scope, receive)
        try:
            reply = await self.session.request(
                scope["method"],
                self.url(scope),
                headers=as_text(end_to_end(scope["headers"])),
                data=body.chunks() if body.is_present else None,
                allow_redirects=False,
                skip_auto_headers=_SET_BY_AIOHTTP,
            )
        except (aiohttp.ClientError, OSError):
            if body.is_cut:
                return
            status, headers, text = await self.failure()
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": text})
            return
        try:
            kept = [pair for pair in end_to_end(reply.raw_headers) if pair[0] not in _REPLACED]
            headers = [*kept, _ALIVE]
            await send({"type": "http.response.start", "status": reply.status, "headers": headers})
            await _first_of(self._copy(reply, send), body.client_gone())
        finally:
            # Tells the server, if the reply has not ended, that nobody reads it any more.
            reply.close()

    async def _copy(self, reply, send):
        async for chunk in reply.content.iter_any():
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        is_framed = {"Transfer-Encoding", "Content-Length"} & reply.headers.keys()
        if not is_framed and await self._is_closed():
            # The connection ended with its server; the client must not take the reply for whole.
            raise ConnectionResetError("the server ended during its reply")
        await send({"type": "http.response.body", "body": b""})

    async def _is_closed(self):
        """Returns True when the server does not accept connections."""
        try:
            connecting = asyncio.open_connection("127.0.0.1", self._port)
            _, writer = await asyncio.wait_for(connecting, _PROBE_SECONDS)
        except asyncio.TimeoutError:
            return False  # it is busy
        except OSError:
            return True
        writer.close()
        return False


class _Body:
    """Body of a request, and the client's leaving after it."""

    def __init__(self, scope, receive):
        names = {name.lower() for name, _ in scope["headers"]}
        self.is_present = bool(names & {b"content-length", b"transfer-encoding"})
        # True when the client left before its end.
        self.is_cut = False
        self._receive = receive
        self._is_over = asyncio.Event()

    async def chunks(self):
        """Yields the body. Raises ConnectionResetError when the client leaves."""
        more = True
        while more:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                self.is_cut = True
                self._is_over.set()
                raise ConnectionResetError("the client has disconnected")
            more = message.get("more_body", False)
            if message.get("body"):
                yield message["body"]
        self._is_over.set()

    async def client_gone(self):
        """Returns when the client has disconnected."""
        if self.is_present:
            await self._is_over.wait()
        while not self.is_cut and (await self._receive())["type"] != "http.disconnect":
            pass


async def _first_of(work, end):
    """Runs `work` until it or `end` is done. Raises what `work` raised."""
    tasks = [asyncio.ensure_future(work), asyncio.ensure_future(end)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if tasks[0].done():
            tasks[0].result()
    finally:
        for task in tasks:
            task.cancel()


def _new_session():
    # A connection for each request costs little on one machine, and none can be closed by the server
    # in the moment of its second use.
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, force_close=True),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        max_line_size=_LARGEST_HEADER_BYTES,
        max_field_size=_LARGEST_HEADER_BYTES,
    )


async def _lifespan(receive, send):
    """Answers the events of start and end, for which there is nothing to do."""
    while True:
        message = await receive()
        await send({"type": message["type"] + ".complete"})
        if message["type"] == "lifespan.shutdown":
            return

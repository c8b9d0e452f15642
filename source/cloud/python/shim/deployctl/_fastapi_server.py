"""Server on FastAPI and uvicorn, used if the replica's environment has them."""

import functools
import inspect
import json

import fastapi
import fastapi.responses
from fastapi.concurrency import run_in_threadpool

from deployctl import _arguments, _loop, _request, _uvicorn_server


def serve(routes, port):
    """Serves until the process is told to stop, and finishes running requests."""
    app = fastapi.FastAPI()
    app.add_middleware(_WithHeaders)
    for route in routes:
        if route.is_websocket:
            app.add_api_websocket_route(route.path, _websocket(route.function))
        else:
            endpoint = _plain_or_model(route.function)
            app.add_api_route(route.path, endpoint, methods=["POST"])
            if not _arguments.names(route.function):
                app.add_api_route(route.path, endpoint, methods=["GET"], include_in_schema=False)
    if all(route.path != "/health" for route in routes):
        app.add_api_route("/health", lambda: {"status": "ok"}, methods=["GET"])
    _loop.wait(_uvicorn_server.server_of(app, port).serve())


def _plain_or_model(function):
    """Reads plain values from the body, where FastAPI would use the query."""
    parameters = _arguments.names(function)
    types = _arguments.types(function)
    if all(_arguments.is_model(types.get(name)) for name in parameters):

        @functools.wraps(function)
        async def as_it_is(**arguments):
            return await _answer(function, arguments)

        return as_it_is

    async def endpoint(request: fastapi.Request):
        try:
            fields = json.loads(await request.body() or b"{}")
            arguments = _arguments.read(function, fields)
        except _arguments.Refused as refusal:
            raise fastapi.HTTPException(422, refusal.detail) from refusal
        except ValueError as error:
            raise fastapi.HTTPException(422, "the body is not valid JSON: %s" % error) from error
        return await _answer(function, arguments)

    return endpoint


class _WithHeaders:
    """ASGI middleware that keeps a request's headers for its endpoint."""

    def __init__(self, app):
        self._app = app

    async def __call__(self, scope, receive, send):
        pairs = scope.get("headers", ())
        _request.headers.set({name.decode("latin-1"): value.decode("latin-1") for name, value in pairs})
        await self._app(scope, receive, send)


async def _answer(function, arguments):
    """Streams the items of a generator, like the server of the standard library."""
    try:
        if inspect.iscoroutinefunction(function):
            result = await function(**arguments)
        else:
            result = await run_in_threadpool(_loop.call, function, **arguments)
    except fastapi.HTTPException:
        raise
    except Exception as error:
        answer = _request.answer_of(error)
        if answer is None:
            raise
        return fastapi.responses.JSONResponse(answer[1], answer[0])
    if inspect.isgenerator(result) or inspect.isasyncgen(result):
        return fastapi.responses.StreamingResponse(result, media_type="text/event-stream")
    return result


def _websocket(function):
    async def endpoint(socket: fastapi.WebSocket):
        await socket.accept()
        try:
            while True:
                fields = await socket.receive_json()
                try:
                    arguments = _arguments.read(function, fields)
                except _arguments.Refused as refusal:
                    await socket.send_json({"error": refusal.detail})
                    continue
                result = await run_in_threadpool(_loop.call, function, **arguments)
                await socket.send_json(_arguments.to_json(result))
        except fastapi.WebSocketDisconnect:
            pass  # the client has disconnected

    return endpoint

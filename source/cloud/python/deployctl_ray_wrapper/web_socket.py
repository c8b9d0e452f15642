"""WebSockets of the relay."""

import asyncio

import aiohttp

from deployctl_ray_wrapper.headers import as_text, end_to_end

# Made anew by the client and the server of this connection.
_OF_HANDSHAKE = b"sec-websocket-"
_GOING_AWAY = 1001
_ABNORMAL = 1011


async def relay(relay, scope, receive, send):
    """Connects to the replica's server, accepts if it does, and copies messages both ways."""
    await receive()  # websocket.connect
    headers = [
        (name, value)
        for name, value in end_to_end(scope["headers"])
        if not name.startswith(_OF_HANDSHAKE)
    ]
    try:
        server = await relay.session.ws_connect(
            relay.url(scope),
            headers=as_text(headers),
            protocols=scope.get("subprotocols", ()),
            compress=0,
            max_msg_size=0,
            autoclose=False,
        )
    except aiohttp.WSServerHandshakeError as error:
        await _deny(scope, send, error.status, [], error.message.encode())
        return
    except (aiohttp.ClientError, OSError):
        await _deny(scope, send, *await relay.failure())
        return
    try:
        await send({"type": "websocket.accept", "subprotocol": server.protocol})
        upward = asyncio.ensure_future(_from_client(receive, server))
        downward = asyncio.ensure_future(_from_server(server, send))
        try:
            await asyncio.wait((upward, downward), return_when=asyncio.FIRST_COMPLETED)
        finally:
            upward.cancel()
            downward.cancel()
    finally:
        await server.close()


async def _from_client(receive, server):
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            await server.close(code=message.get("code") or _GOING_AWAY)
            return
        if message.get("text") is not None:
            await server.send_str(message["text"])
        else:
            await server.send_bytes(message.get("bytes") or b"")


async def _from_server(server, send):
    while True:
        message = await server.receive()
        if message.type == aiohttp.WSMsgType.TEXT:
            await send({"type": "websocket.send", "text": message.data})
        elif message.type == aiohttp.WSMsgType.BINARY:
            await send({"type": "websocket.send", "bytes": message.data})
        else:
            ended = message.type == aiohttp.WSMsgType.CLOSE
            code = (server.close_code if ended else None) or _ABNORMAL
            reason = message.extra or "" if ended else ""
            await send({"type": "websocket.close", "code": code, "reason": reason})
            return


async def _deny(scope, send, status, headers, text):
    """Refuses the handshake; with the status, where the server of this app can send one."""
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": _ABNORMAL})
        return
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": text})

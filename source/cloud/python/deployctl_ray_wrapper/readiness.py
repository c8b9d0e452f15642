"""State of a server on this node, from one request."""

import http.client

_FALLBACK_PATH = "/v1/models"
_LIMIT_SECONDS = 5

CLOSED = "closed"  # nothing listens
SILENT = "silent"  # it listens, and does not answer in HTTP
LOADING = "loading"  # it answers that it is not ready
READY = "ready"


def state_of(port, path, status):
    """Returns the state of the server on 127.0.0.1.

    Another status than `status` (None: any below 500) means loading. With None, if `path` does not
    exist, the model list decides, as some servers open their port before they have loaded.
    """
    found = _ask(port, path)
    if not isinstance(found, int):
        return found
    if status is not None:
        return READY if found == status else LOADING
    if found in (404, 405):
        return LOADING if _ask(port, _FALLBACK_PATH) == 503 else READY
    return READY if found < 500 else LOADING


def _ask(port, path):
    """Returns the status of a GET, CLOSED or SILENT."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_LIMIT_SECONDS)
    headers = {"connection": "close", "user-agent": "deployctl-probe"}
    try:
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status
    except ConnectionRefusedError:
        return CLOSED
    except (OSError, http.client.HTTPException):
        return SILENT
    finally:
        connection.close()

"""Downloads of fal.toolkit: files, model weights and Git repositories.

URLs may come from callers, so only public addresses are allowed.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from urllib.parse import unquote, urlsplit

_CHUNK_BYTES = 1 << 20


def _persistent_folder():
    """Returns the folder beside the weights that all replicas share."""
    weights = os.environ.get("HF_HOME")
    return pathlib.Path(weights).parent / "fal" if weights else pathlib.Path.home() / ".cache/fal"


FAL_PERSISTENT_DIR = _persistent_folder()
FAL_MODEL_WEIGHTS_DIR = FAL_PERSISTENT_DIR / "model_weights"
FAL_REPOSITORY_DIR = FAL_PERSISTENT_DIR / "repositories"


class DownloadError(Exception):
    """File that could not be downloaded."""


def download_file(url, target_dir, *, force=False, request_headers=None, filesize_limit=None):
    """Downloads a file and returns its path. Keeps an existing file, unless `force`.

    filesize_limit: megabytes. Raises DownloadError.
    """
    folder = pathlib.Path(target_dir)
    name = unquote(urlsplit(url).path.rpartition("/")[2]) if not url.startswith("data:") else ""
    target = folder / (os.path.basename(name) or hashlib.sha256(url.encode()).hexdigest())
    if target.exists() and not force:
        return target
    folder.mkdir(parents=True, exist_ok=True)
    limit = None if filesize_limit is None else filesize_limit * 1024 * 1024
    handle, partial = tempfile.mkstemp(dir=str(folder), prefix=".download-")
    try:
        with os.fdopen(handle, "wb") as file:
            _copy(url, request_headers or {}, file, limit)
        os.replace(partial, target)
    except Exception as error:
        os.unlink(partial)
        raise DownloadError("%s cannot be downloaded: %s" % (url[:200], error)) from error
    return target


def download_model_weights(url, force=False, request_headers=None):
    """Downloads weights to a folder that replicas share, and returns the path."""
    folder = FAL_MODEL_WEIGHTS_DIR / hashlib.sha256(url.encode()).hexdigest()
    return download_file(url, folder, force=force, request_headers=request_headers)


def clone_repository(
    https_url, *, commit_hash=None, target_dir=None, repo_name=None, force=False, include_to_path=False
):
    """Clones a Git repository and returns its path. Keeps an existing clone, unless `force`."""
    name = repo_name or urlsplit(https_url).path.rstrip("/").rpartition("/")[2].replace(".git", "")
    parent = pathlib.Path(target_dir or FAL_REPOSITORY_DIR)
    target = parent / ("%s-%s" % (name, commit_hash[:8]) if commit_hash and not repo_name else name)
    if force:
        shutil.rmtree(str(target), ignore_errors=True)
    if not target.exists():
        parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=str(parent)) as folder:
            clone = os.path.join(folder, "clone")
            subprocess.check_call(["git", "clone", "--recursive", "--", https_url, clone])
            if commit_hash:
                subprocess.check_call(["git", "checkout", commit_hash, "--"], cwd=clone)
            os.rename(clone, str(target))
    if include_to_path and str(target) not in sys.path:
        sys.path.insert(0, str(target))
    return target


def _copy(url, headers, file, limit):
    import urllib.request

    if urlsplit(url).scheme not in ("http", "https", "data"):
        raise ValueError("only http, https and data URLs can be downloaded")
    opener = urllib.request.build_opener(*_public_handlers())
    size = 0
    with opener.open(urllib.request.Request(url, headers=headers), timeout=60) as response:
        for chunk in iter(lambda: response.read(_CHUNK_BYTES), b""):
            size += len(chunk)
            if limit is not None and size > limit:
                raise ValueError("it is larger than %d bytes" % limit)
            file.write(chunk)


def _public_handlers():
    """Returns handlers of urllib that connect to public addresses only; proxies have their own rules."""
    import functools
    import http.client
    import urllib.request

    def connection(base, is_direct, *arguments, **keywords):
        made = base(*arguments, **keywords)
        if is_direct:
            made._create_connection = _connect_publicly
        return made

    class Http(urllib.request.HTTPHandler):
        def http_open(self, request):
            make = functools.partial(connection, http.client.HTTPConnection, not request.has_proxy())
            return self.do_open(make, request)

    class Https(urllib.request.HTTPSHandler):
        def https_open(self, request):
            is_direct = getattr(request, "_tunnel_host", None) is None
            make = functools.partial(connection, http.client.HTTPSConnection, is_direct)
            return self.do_open(make, request)

    return Http(), Https()


def _connect_publicly(address, timeout=None, source_address=None):
    import ipaddress
    import socket

    host, port = address
    for *_, found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        if not ipaddress.ip_address(found[0].split("%")[0]).is_global:
            raise PermissionError("%s is not a public address" % host)
    return socket.create_connection((found[0], port), timeout, source_address)

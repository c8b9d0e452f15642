"""Port map: a script names port 8000, and each of its replicas listens on another port.

Sockets that bind to a mapped port, or connect to it on this machine, use the replica's port. A
server that binds to every address listens on loopback instead, so that it cannot be reached without
going through the gateway, which checks keys.
"""

import errno
import os
import socket

_WILDCARDS = ("", "0.0.0.0", "::", "::0", "0:0:0:0:0:0:0:0")
_LOCAL_NAMES = ("localhost", "ip6-localhost", "::1", "::ffff:127.0.0.1")

_is_installed = False


def read_map(text):
    """Parses "8000:23817" and further pairs after commas. Raises ValueError with a sentence."""
    ports = {}
    for pair in filter(None, text.split(",")):
        said, _, given = pair.partition(":")
        if not (_is_port(said) and _is_port(given)):
            raise ValueError("Invalid pair %r in DEPLOYCTL_PORT_MAP; expected one such as 8000:23817" % pair)
        ports[int(said)] = int(given)
    return ports


def current_map(environment=None):
    """Returns the map of this process; empty outside a replica."""
    environment = os.environ if environment is None else environment
    if environment.get("DEPLOYCTL_PORT_REWRITE") == "none":
        return {}
    return read_map(environment.get("DEPLOYCTL_PORT_MAP", ""))


def binds_anywhere(environment=None):
    """Returns True when wildcard addresses are left unchanged."""
    return (os.environ if environment is None else environment).get("DEPLOYCTL_BIND_ANY") == "1"


def is_local(host):
    """Returns True for a client's name of this machine."""
    return host in _WILDCARDS or host in _LOCAL_NAMES or host.startswith("127.")


def is_wildcard(host):
    """Returns True for a host that means every address."""
    return host in _WILDCARDS


def install():
    """Patches bind, connect and connect_ex of all sockets in this process."""
    global _is_installed
    ports = current_map()
    stays = binds_anywhere()
    if _is_installed or (not ports and stays):
        return
    _is_installed = True
    real_bind = socket.socket.bind
    real_connect = socket.socket.connect
    real_connect_ex = socket.socket.connect_ex
    loopback = _LoopbackAddresses()

    def bind(self, address):
        if _is_internet(self, address):
            host, said = address[0], address[1]
            is_mapped = said in ports
            port = ports.get(said, said)
            # A server on the mapped port is the app itself: only the gateway may reach it,
            # whatever address it names.
            if not stays and (is_wildcard(_text(host)) or (is_mapped and not is_local(_text(host)))):
                host, port = loopback.choose(self, port)
            address = (host, port) + tuple(address[2:])
        try:
            return real_bind(self, address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and _is_internet(self, address):
                error.filename = "%s:%d" % (_text(address[0]), address[1])  # named in its message
            raise

    def connect(self, address):
        return real_connect(self, _mapped_target(self, address, ports))

    def connect_ex(self, address):
        return real_connect_ex(self, _mapped_target(self, address, ports))

    socket.socket.bind = bind
    socket.socket.connect = connect
    socket.socket.connect_ex = connect_ex


class _LoopbackAddresses:
    """Chooses the loopback address for "every address". The gateway connects to 127.0.0.1."""

    def __init__(self):
        self._ports_of_ipv4 = set()
        self._ports_of_both = set()

    def choose(self, sock, port):
        """Returns host and port. A server of both families opens a socket of each, in either
        order.
        """
        if sock.family == socket.AF_INET:
            if port in self._ports_of_both:
                return "127.0.0.1", 0  # its other socket answers there; this one is not used
            if port:
                self._ports_of_ipv4.add(port)
            return "127.0.0.1", port
        if port in self._ports_of_ipv4:
            return "::1", port
        # A server on IPv6 alone must answer the gateway too.
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        if port:
            self._ports_of_both.add(port)
        return "::ffff:127.0.0.1", port


def _mapped_target(sock, address, ports):
    if not _is_internet(sock, address) or address[1] not in ports or not is_local(_text(address[0])):
        return address
    return (address[0], ports[address[1]]) + tuple(address[2:])


def _is_internet(sock, address):
    return (
        sock.family in (socket.AF_INET, socket.AF_INET6)
        and isinstance(address, tuple)
        and len(address) >= 2
        and isinstance(address[0], (str, bytes, bytearray))
        and isinstance(address[1], int)
    )


def _text(host):
    return host if isinstance(host, str) else bytes(host).decode("latin-1")


def _is_port(text):
    return text.isdigit() and 0 < int(text) < 65536

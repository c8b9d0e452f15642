"""fal's hosts and credentials, which a replica does not need."""

import sys


class _Host:
    """Host of a function; functions always run in the replica here."""

    def __init__(self, name="", **_):
        self.name = name

    def __repr__(self):
        return "<host %s>" % self.name


class FalServerlessHost(_Host):
    def __init__(self, url="", **_):
        super().__init__(url or "serverless")


class FalServerlessKeyCredentials:
    """Unused: calls of this replica need no key for fal."""

    def __init__(self, key_id="", key_secret=""):
        self.key_id = key_id


local = _Host("local")
serverless = FalServerlessHost()
cloud = serverless


def sync_dir(local_dir, remote_dir=None, **_):
    """Does nothing: the replica sees the machine's own folders."""
    print("deployctl: fal.sync_dir(%r) has no effect here" % (local_dir,), file=sys.stderr)
    return str(local_dir)

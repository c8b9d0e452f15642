"""Names of fal without effect here: hosts, credentials, health checks and billing."""

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


class HealthCheck:
    """Kept for compatibility: the gateway's own checks apply here."""

    def __init__(
        self,
        start_period_seconds=30,
        timeout_seconds=5,
        failure_threshold=3,
        call_regularly=True,
        method=None,
    ):
        self.start_period_seconds = start_period_seconds
        self.timeout_seconds = timeout_seconds
        self.failure_threshold = failure_threshold
        self.call_regularly = call_regularly
        self.method = method


class BillingComponents(dict):
    """Components of an endpoint's bill."""


class BillingDeclaration:
    """Declares an endpoint's components."""

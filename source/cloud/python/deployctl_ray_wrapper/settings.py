"""Settings of a replica, from the application's `args`."""

import dataclasses
import os

# Folder of this package, runner.py and the bundle.
HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@dataclasses.dataclass(frozen=True)
class Settings:
    """The application's `args`; __init__.py describes them."""

    replica: str
    script: str
    target: str
    exposed_port: int
    ready_timeout_s: float
    max_ongoing_requests: int
    bundle: str = "bundle"
    environment: dict = dataclasses.field(default_factory=dict)
    health_path: str = "/health"
    health_status: int | None = None
    termination_grace_s: float = 10
    graceful_shutdown_timeout_s: float | None = None
    resources: dict = dataclasses.field(default_factory=dict)
    labels: dict = dataclasses.field(default_factory=dict)

    @property
    def folder(self):
        """Absolute path of the bundle."""
        return os.path.join(HOME, self.bundle)

    @property
    def shutdown_timeout_s(self):
        """Limit for the whole end of the replica."""
        if self.graceful_shutdown_timeout_s is None:
            return self.termination_grace_s + 20
        return self.graceful_shutdown_timeout_s

    @property
    def actor_options(self):
        """Options of the actor, such as `num_gpus`."""
        given = {name: value for name, value in self.resources.items() if value is not None}
        return {"num_cpus": 0, **given}


def read(args):
    """Returns the settings. Raises TypeError for unknown or missing names."""
    return Settings(**args)

"""Names that scripts for fal use, so that they run here unchanged.

An installed `fal` is shadowed in the processes of a replica and nowhere else; with
DEPLOYCTL_REAL_FAL=1 the script gets that one instead.
"""

import os

if os.environ.get("DEPLOYCTL_REAL_FAL") == "1":
    from deployctl import _real_module

    _real_module.load(__name__, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
else:
    from fal import apps
    from fal.api import (
        App,
        FalServerlessKeyCredentials,
        HealthCheck,
        cached,
        endpoint,
        function,
        isolated,
        realtime,
        wrap_app,
    )
    from fal._unused import BillingComponents, BillingDeclaration, cloud, local, serverless, sync_dir
    from fal._version import __version__, version_tuple
    from fal.container import ContainerImage

    __all__ = [
        "function",
        "isolated",
        "cached",
        "App",
        "endpoint",
        "realtime",
        "HealthCheck",
        "BillingComponents",
        "BillingDeclaration",
        "FalServerlessKeyCredentials",
        "sync_dir",
        "ContainerImage",
        "__version__",
        "version_tuple",
    ]

"""Keywords of fal's and our decorators, shared with the static reader."""

import re

from deployctl._findings import Findings, close_match

_ENVIRONMENT = ("python_version", "requirements", "resolver", "force", "compile_bytecode")

# Environment keywords by kind of fal function.
FAL_KINDS = {
    "virtualenv": _ENVIRONMENT,
    "container": ("image",) + _ENVIRONMENT,
    "conda": ("python_version", "env_dict", "env_yml", "env_yml_str", "packages", "pip", "channels"),
    "local": (),
}

# Supported keywords of all kinds.
FAL_HONOURED = (
    "serve",
    "exposed_port",
    "machine_type",
    "machine_types",
    "num_gpus",
    "keep_alive",
    "max_concurrency",
    "min_concurrency",
    "concurrency_buffer",
    "concurrency_buffer_perc",
    "scaling_delay",
    "max_multiplexing",
    "request_timeout",
    "request_start_timeout",
    "startup_timeout",
    "termination_grace_period_seconds",
    "secrets",
    "app_files",
    "local_python_modules",
)

# Accepted keywords without effect here.
FAL_IGNORED = (
    "regions",
    "setup_function",
    "metadata",
    "metrics_port",
    "private_logs",
    "app_files_ignore",
    "app_files_context_dir",
    "health_check_config",
    "skip_retry_conditions",
    "retry_config",
    "data_mounts",
    "requirements_context_dir",
    "_base_image",
    "_scheduler",
    "_scheduler_options",
    "resolver",
    "force",
    "force_env_build",
    "compile_bytecode",
    "python_version",
    "env_dict",
    "env_yml",
    "env_yml_str",
    "packages",
    "pip",
    "channels",
)

# Further keywords and attributes of a class.
FAL_APP = ("app_name", "app_auth", "kind", "image", "host_kwargs")
# Options that are derived from the class's endpoints.
_MADE = ("health_path",)

_OWN = (
    "port",
    "gpu",
    "machine_type",
    "num_gpus",
    "health_path",
    "health_status",
    "name",
    "auth",
    "max_multiplexing",
    "min_concurrency",
    "max_concurrency",
    "concurrency_buffer",
    "concurrency_buffer_perc",
    "target_utilization",
    "scaling_delay",
    "keep_alive",
    "sleep_after",
    "stop_after",
    "max_starting",
    "startup_timeout",
    "request_timeout",
    "drain_timeout",
    "termination_grace",
    "requirements",
    "env",
    "secrets",
    "files",
    "cold_start",
    "no_wake_paths",
    "sse_keepalive",
    "models_cache",
    "early_stream",
    "port_rewrite",
    "upstream_authorization",
    "serve",
)


def check_fal_function(kind, keywords):
    """Returns Findings about keywords without effect. Raises ValueError for an unknown kind."""
    if kind not in FAL_KINDS:
        raise ValueError(
            "kind=%r is not one of %s" % (kind, ", ".join(sorted(FAL_KINDS)))
        )
    of_kinds = {name for names in FAL_KINDS.values() for name in names}
    honoured = set(FAL_HONOURED) | set(FAL_KINDS[kind]) - set(FAL_IGNORED)
    return Findings(keywords, honoured, set(FAL_IGNORED) | of_kinds - honoured)


def check_fal_app(keywords):
    """Returns Findings about the keywords of a class that derives from fal.App."""
    ignored = set(FAL_IGNORED)
    honoured = FAL_HONOURED + FAL_APP + _ENVIRONMENT + _MADE
    return Findings(keywords, set(honoured) - ignored, ignored)


def read_fal_app(name, base, keywords, attributes):
    """Returns the options of a class that derives from fal.App.

    name: the class's. base: options of its base class. keywords: those of the class statement.
    attributes: its own by name, which go before keywords; None means the default.
    """
    options = {key: value for key, value in base.items() if key != "app_name"}
    options.update(keywords)
    host = attributes.get("host_kwargs")
    if isinstance(host, dict):
        options.update((str(key), value) for key, value in host.items())
    for key, value in attributes.items():
        if is_fal_app_attribute(key) and key != "host_kwargs" and value is not None:
            options[key] = value
    given = options.pop("name", None)
    options.setdefault("app_name", given or app_name_of(name))
    return options


def app_name_of(class_name):
    """Returns the name that fal gives a class: my-app for MyApp and for my_app."""
    parts = re.findall(r"[A-Z][a-z]*", class_name) or class_name.split("_")
    return "-".join(part.lower() for part in parts if part)


def is_fal_app_attribute(name):
    """Returns True for a class attribute that is an option."""
    return name in FAL_HONOURED or name in FAL_IGNORED or name in FAL_APP or name in _ENVIRONMENT


def check_own(keywords):
    """Returns Findings about the keywords of @deployctl.app, which all have an effect. Raises
    ValueError for an unknown one.
    """
    for name in keywords:
        if name not in _OWN:
            raise ValueError("unknown keyword %s%s" % (name, close_match(name, _OWN)))
    return Findings(keywords, _OWN, ())

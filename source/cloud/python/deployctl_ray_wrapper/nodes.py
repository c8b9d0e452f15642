"""Report of what each node of the cluster has, for `deployctl doctor`.

    python -m deployctl_ray_wrapper.nodes

Prints one line, `@deployctl {"phase": "nodes", "nodes": [...]}`, with a document for each node:

    node_id, address        as Ray names them
    is_head
    python, ray             versions; null when the node did not answer
    serve_error             why `ray.serve` cannot be imported, such as a missing jinja2; else null
    node, modelctl          versions of Node and modelctl; null where a replica would not find them
    error                   why the node did not answer; else null
"""

import importlib
import os
import shlex
import subprocess
import sys
import time

from deployctl_ray_wrapper import environment
from deployctl_ray_wrapper.served_process import mark_line

_NODE_SECONDS = 120
_PROGRAM_SECONDS = 15


def report(limit_s=_NODE_SECONDS):
    """Returns the documents of all running nodes, which are asked at the same time."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    asked = {}
    for node in filter(_is_alive, ray.nodes()):
        here = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        task = ray.remote(num_cpus=0, max_retries=0)(of_this_machine)
        asked[task.options(scheduling_strategy=here).remote()] = node
    deadline = time.monotonic() + limit_s
    return [_answer(ref, node, deadline) for ref, node in asked.items()]


def of_this_machine():
    """Returns the part of the document that a node knows of itself."""
    import ray

    try:
        importlib.import_module("ray.serve")
        serve_error = None
    except Exception as error:
        serve_error = str(error)
    variables = environment.of_node()
    modelctl = shlex.split(variables.get("DEPLOYCTL_MODELCTL", "modelctl"))
    return {
        "python": ".".join(map(str, sys.version_info[:3])),
        "ray": ray.__version__,
        "serve_error": serve_error,
        "node": _version_of(["node"], variables),
        "modelctl": _version_of(modelctl, variables),
        "error": None,
    }


def _is_alive(node):
    return node["Alive"]


def _answer(ref, node, deadline):
    import ray

    document = {
        "node_id": node["NodeID"],
        "address": node["NodeManagerAddress"],
        "is_head": "node:__internal_head__" in node["Resources"],
    }
    try:
        return {**document, **ray.get(ref, timeout=max(0.1, deadline - time.monotonic()))}
    except Exception as error:
        names = ("python", "ray", "serve_error", "node", "modelctl")
        sentence = str(error).strip().split("\n")[0] or type(error).__name__
        return {**document, **dict.fromkeys(names), "error": sentence}


def _version_of(command, variables):
    """Returns the last word that `--version` prints, such as "24.1.0"; None if it cannot run."""
    try:
        printed = subprocess.run(
            [*command, "--version"],
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            text=True,
            timeout=_PROGRAM_SECONDS,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    words = printed.split()
    return words[-1].lstrip("v") if words else None


if __name__ == "__main__":
    import ray

    ray.init(log_to_driver=False, logging_level="error")
    os.write(1, (mark_line({"phase": "nodes", "nodes": report()}) + "\n").encode())

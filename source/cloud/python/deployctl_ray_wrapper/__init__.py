"""Ray Serve application that runs one replica of a script on a node of the cluster.

Deploy it with the import path `deployctl_ray_wrapper:build`, in a working folder that holds this
package, runner.py with its parts, and the script's bundle. Needs only what `ray[serve]` installs,
and Python 3.10. `args` of the application:

    replica                 the replica's id
    script, target          file in the bundle, and the name of the object in it
    bundle                  the bundle's folder; default: "bundle"
    exposed_port            port in the script
    environment             variables of the script: names to values
    health_path             default: "/health"
    health_status           status of the health path once ready; default: any below 500
    ready_timeout_s         seconds from the start of the process until it is ready
    termination_grace_s     seconds from SIGTERM to SIGKILL; default: 10
    graceful_shutdown_timeout_s
                            seconds that Serve gives running requests and the process to end;
                            default: termination_grace_s + 20
    max_ongoing_requests    concurrent requests of the replica
    resources               num_cpus, num_gpus, accelerator_type, resources; members may be missing
    labels                  facts that the control plane wants back; not read here

The application is RUNNING once the script's server is ready. A start that fails makes it
DEPLOY_FAILED, with an "exited" event in its message (see served_process.py). When the served process
ends later, requests that have no reply yet get 503 with `x-dctl-replica: dead`, and the actor exits
for Serve to start it again. All other replies carry `x-dctl-replica: alive`: Serve's proxy answers
by itself, without this header, when the actor or its node is gone.
"""


def build(args: dict):
    """Returns the application for `args`."""
    # Ray is imported here, so that the other modules can be used without it.
    from deployctl_ray_wrapper.deployment import application

    return application(args)

"""Runs one replica: loads a script and calls the object in it that is deployed.

    python3 -u runner.py --script FILE --target NAME

FILE is the script inside the bundle, NAME what stands behind `::`. Spawn it as the leader of a
process group of its own, with standard input from /dev/null and standard output and error in
files. The working folder is the bundle's. Nothing has to be put on PYTHONPATH: the runner puts
`shim/` first there, for itself and for every Python that the script starts.

Environment that the runner reads (all given by whoever spawns it):

    PORT, DEPLOYCTL_PORT     the replica's own port P, on 127.0.0.1
    DEPLOYCTL_PORT_MAP       "8000:P": what the script says, and what it gets; more, by commas
    DEPLOYCTL_PORT_REWRITE   auto (default): arguments of programs that are not Python are rewritten
                             argv: those of all programs; none: no port map at all
    DEPLOYCTL_NONCE          tells which processes belong to the replica, in /proc/PID/environ
    DEPLOYCTL_REPLICA        the replica's id          (deployctl.replica_id())
    DEPLOYCTL_BIND_ANY=1     leaves 0.0.0.0 and :: as they are; otherwise they become loopback
    DEPLOYCTL_REAL_FAL=1     lets the script import an installed `fal` in place of ours

Everything else of the environment is the script's.

What it prints: lines on standard output that hold `@deployctl {json}`, possibly behind unfinished
text of the script, each with `phase` and `at` (milliseconds since 1970):

    {"phase": "importing", "script": "deploy.py"}
    {"phase": "calling", "target": "serve"}
    {"phase": "returned", "program": "vllm", "code": 1}
                             the target returned; program and code (negative: a signal) of the last
                             program that it waited for, where there was one
    {"phase": "holding", "processes": 2, "listening": true}
                             it returned, and something of it still lives: the replica goes on
    {"phase": "terminating"} SIGTERM arrived; clean-up functions run
    {"phase": "failed", "reason": "...", "sentence": "...", "file": "...", "line": 12, "text": "..."}
                             file, line and text where known; the traceback is on standard error

Reasons and exit codes:

     0  returned             the target returned, no process of the replica lives, nothing listens
     c  returned             the same, and the last program it waited for had ended with code c > 0;
                             128 + n when signal n ended it
    64  usage                wrong arguments or environment
    65  syntax_error         the script is no Python of this version
    66  script_missing       there is no such script
    67  target_missing       the script has no such object, or it cannot be called without arguments
    68  import_error         a module is missing, or lacks a name
    69  script_error         the script's top level raised
    70  exception            the target raised
    71  port_conflict        the target raised: the address is in use
    72  out_of_memory        the target raised: no memory, of the machine or of a GPU
   127  missing_executable   the script called a program that is not there
   143  terminated           SIGTERM, after the clean-up functions
     n  exited               the script called sys.exit(n)

A target that returns ends the replica, unless a process of its group (or one with the same nonce)
lives or its port is listened on: then the runner stays until both have gone, and exits as if the
target had returned then. On SIGTERM, which is sent to the whole group, the runner runs clean-up
functions, lets the processes of the group finish, and exits; SIGKILL ends what does not.
"""

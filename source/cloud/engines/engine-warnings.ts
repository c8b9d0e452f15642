// Warnings of an engine about a replica: stable codes, each with a sentence that says what to do.

export const engineWarnings = {
  port_not_remapped:
    "The server ignored its assigned port and used the one in its script, so this machine can run only one replica. " +
    "Make it listen on the port in the variable PORT.",
  listener_unverified:
    "This system does not show which process listens on the replica's port, so it may be that of another program. " +
    "Run the control plane as the user whose programs it starts.",
  listens_beyond_loopback:
    "The server listens on addresses that other machines can reach, where it requires no key. " +
    "Make it listen on 127.0.0.1, for example with --host 127.0.0.1.",
  no_http_answer:
    "The server opened its port and did not answer an HTTP request within 5 s, so an open port now counts as healthy. " +
    "If it is an HTTP server, check its log, and set --health-path to a path that it answers at once.",
} as const satisfies Record<string, string>;

export type EngineWarning = keyof typeof engineWarnings;

export const engineWarningCodes = Object.keys(engineWarnings) as EngineWarning[];

// deployctl runners list, stop, kill, logs, exec, shell, forward: the processes that run apps.

import { formatRelativeTime, formatRoughDuration } from "../../../base/formats.ts";
import { ProductError } from "../../../base/product-error.ts";
import type { ReplicaDocument } from "../../../cloud/admin/documents.ts";
import { environmentOf } from "../../../cloud/app-name.ts";
import { cloudErrors } from "../../../cloud/errors.ts";
import { interruptible } from "../../interruptible.ts";
import type { Run } from "../../program/definition.ts";
import { formatTable } from "../../table.ts";
import type { StateFlags } from "../flags.ts";
import { forwardPort as forward, readPorts } from "../forward-port.ts";
import { printAnswer, tell } from "../print.ts";
import { printLogs } from "../print-logs.ts";
import { openSession, type Session, settingOf } from "../session.ts";
import { clientOf, listedEnvironment } from "../target.ts";
import type { runnerCommands } from "./runners.definition.ts";

export const listRunners: Run<typeof runnerCommands.listRunners> = async (_words, flags) => {
  const session = openSession(flags);
  const environment = await listedEnvironment(session);
  const all = await clientOf(session).replicas();
  const isWanted = ({ app }: ReplicaDocument) =>
    environment === undefined || environmentOf(app) === environment;
  printReplicas(flags, all.filter(isWanted));
};

export const stopRunner: Run<typeof runnerCommands.stopRunner> = async ([id], flags) => {
  await clientOf(openSession(flags)).stopReplica(id, { replace: flags.replace === true });
  printAnswer(flags, {
    document: { runner: id, stopping: true },
    text: `${id} stops after its running requests\n`,
    names: [id],
  });
};

export const killRunner: Run<typeof runnerCommands.killRunner> = async ([id], flags) => {
  await clientOf(openSession(flags)).killReplica(id);
  printAnswer(flags, {
    document: { runner: id, killed: true },
    text: `${id} was killed\n`,
    names: [id],
  });
};

export const runnerLogs: Run<typeof runnerCommands.runnerLogs> = async ([id], flags) => {
  const session = openSession(flags);
  const replica = await replicaNamed(session, id);
  const app = `${replica.organisation}/${replica.app}`;
  return await printLogs(clientOf(session), app, { ...flags, replica: replica.replica });
};

/** Runs a command with the replica's variables and folder, on the replica's machine. */
export const execRunner: Run<typeof runnerCommands.execRunner> = async (words, flags) => {
  const [id, program, ...args] = words;
  const session = openSession(flags);
  const replica = await replicaNamed(session, id);
  if (settingOf(session, "server") !== undefined) {
    throw new ProductError(cloudErrors.conflict, {
      message: "The command must run on the replica's machine.",
      hint: "Run deployctl there, without --server.",
    });
  }
  const { execInReplica } = await import("../../../application/deploying/run-as-replica.ts");
  return await execInReplica(replica, program, args);
};

export const openShell: Run<typeof runnerCommands.openShell> = async ([id], flags) => {
  const client = clientOf(openSession(flags));
  const { attachShell } = await import("../remote-shell.ts");
  return await attachShell(client, id, () => {
    tell(flags, `Shell next to ${id}, as the server's user. Ctrl+D ends it.`);
  });
};

export const forwardPort: Run<typeof runnerCommands.forwardPort> = async ([id, text], flags) => {
  const ports = readPorts(text);
  const session = openSession(flags);
  const { replica } = await replicaNamed(session, id);
  await interruptible(
    async (signal) =>
      await forward(clientOf(session), replica, ports, {
        signal,
        onRefused: ({ message }) => tell(flags, message),
        onListening: (local) => {
          const address = `127.0.0.1:${local}`;
          printAnswer(flags, {
            document: { runner: id, address, port: ports.remote },
            text: `${address} is port ${ports.remote} next to ${id} until Ctrl+C\n`,
            names: [address],
          });
        },
      }),
    ["SIGINT", "SIGTERM"],
  );
};

async function replicaNamed(session: Session, id: string): Promise<ReplicaDocument> {
  const found = (await clientOf(session).replicas()).find(({ replica }) => replica === id);
  if (found !== undefined) return found;
  throw new ProductError(cloudErrors.replicaUnknown, {
    message: `Runner '${id}' does not exist.`,
    hint: "Run deployctl runners list to see them.",
  });
}

/** Prints running replicas; with `--state` or `--since` also ended ones, which are kept for a day. */
export function printReplicas(flags: StateFlags, all: readonly ReplicaDocument[]): void {
  const now = Date.now();
  const sinceMs = flags.since;
  const asked = flags.state?.toUpperCase();
  const state = asked ?? (sinceMs === undefined ? "ALIVE" : "ALL");
  const replicas = all.filter((replica) => {
    if (sinceMs !== undefined && replica.startedAt < now - sinceMs) return false;
    if (state === "ALIVE") return replica.state !== "TERMINATED";
    return state === "ALL" || replica.state === state;
  });
  printAnswer(flags, {
    document: { runners: replicas },
    text: replicaTable(replicas, now),
    names: replicas.map(({ replica }) => replica),
  });
}

export function replicaTable(replicas: readonly ReplicaDocument[], nowMs: number): string {
  const isOnNodes = replicas.some(({ node }) => node !== undefined);
  const rows = replicas.map((replica) => [
    replica.replica,
    `${replica.organisation}/${replica.app}`,
    replica.revision,
    replica.state,
    String(replica.inFlight),
    formatRoughDuration(nowMs - replica.startedAt),
    replica.expiresAt === undefined ? "-" : formatRelativeTime(replica.expiresAt, nowMs),
    isOnNodes ? (replica.node ?? "-") : replica.gpus.join(",") || "-",
    replica.exit?.sentence ?? replica.progress ?? "",
  ]);
  const headers = [
    "runner",
    "app",
    "revision",
    "state",
    "running",
    "age",
    "expires",
    isOnNodes ? "node" : "gpu",
    "detail",
  ];
  return formatTable(headers, rows);
}

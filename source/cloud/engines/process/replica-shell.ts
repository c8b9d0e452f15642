// Access to a replica of this machine: a shell with its variables and folder, a connection to one of its ports.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, readFileSync, readlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { userInfo } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { systemCode } from "../../../base/write-refusal.ts";
import { cloudErrors } from "../../errors.ts";
import { pythonFolder } from "../../inspection/python-program.ts";
import type { ReplicaShell, TerminalSize } from "../engine.ts";
import { nonceVariable } from "./process-table.ts";

export interface Surroundings {
  folder: string;
  environment: Record<string, string>;
}

/**
 * Reads folder and variables of a replica's process, without the nonce: processes that are started with
 * them are not part of the replica, and do not end with it.
 *
 * @returns undefined for a process that has ended, or belongs to another user
 */
export function readSurroundings(processId: number): Surroundings | undefined {
  try {
    const entries = readFileSync(`/proc/${processId}/environ`, "utf8").split("\0");
    const pairs = entries
      .filter((entry) => entry.includes("="))
      .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]);
    const environment = Object.fromEntries(pairs);
    delete environment[nonceVariable];
    return { folder: readlinkSync(`/proc/${processId}/cwd`), environment };
  } catch {
    return undefined;
  }
}

export interface ShellOptions {
  /** The interpreter of pty_shell.py, which makes the pseudo-terminal. */
  python: string;
  surroundings: Surroundings;
  terminal: TerminalSize & { type: string };
  /** The shell is hung up once it resolves. */
  replicaExited: Promise<void>;
}

/** @throws ProductError `CLOUD_PYTHON_UNUSABLE` */
export async function openShell(options: ShellOptions): Promise<ReplicaShell> {
  const { python, surroundings, terminal, replicaExited } = options;
  const { rows, columns, type } = terminal;
  const file = path.join(pythonFolder(), "pty_shell.py");
  const words = ["-I", "-B", file, findShell(), String(rows), String(columns)];
  const child = spawn(python, words, {
    cwd: surroundings.folder,
    env: { ...surroundings.environment, TERM: type },
    stdio: ["pipe", "pipe", "ignore", "pipe"],
  });
  const exit = Promise.withResolvers<number>();
  child.once("close", (code) => exit.resolve(code ?? 1));
  try {
    await once(child, "spawn");
  } catch (cause) {
    throw new ProductError(cloudErrors.pythonUnusable, {
      message: `${python} cannot be started: ${describeError(cause)}.`,
      cause,
    });
  }
  const [input, output, , sizes] = child.stdio;
  if (input === null || output === null || !(sizes instanceof Writable)) {
    throw new Error("a started process lacks a pipe that was asked for");
  }
  // The shell may end while something is written to it.
  for (const pipe of [input, sizes]) pipe.on("error", () => {});
  let isWithReplica = false;
  void replicaExited.then(() => {
    isWithReplica = child.exitCode === null;
    child.kill("SIGTERM");
  });
  return {
    ...{ input, output },
    resize: (size) => void sizes.write(`${size.rows} ${size.columns}\n`),
    hangUp: () => void child.kill("SIGTERM"),
    ended: exit.promise.then((code) => ({ code, isWithReplica })),
  };
}

/** Returns the shell of the server's user; accounts of services have none that can be used. */
function findShell(): string {
  const own = userInfo().shell ?? "";
  const isUsable = own !== "" && !/\/(?:nologin|false|true)$/.test(own) && isExecutable(own);
  return isUsable ? own : "/bin/sh";
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param port as the caller named it
 * @param actual port on this machine
 * @returns a socket that stays open until both sides have ended
 * @throws ProductError `CLOUD_PORT_CLOSED`
 */
export async function connectToPort(
  replica: string,
  port: number,
  actual: number,
): Promise<Socket> {
  let cause: unknown;
  // A server may listen on only one of the two addresses. Node's own attempt at both gives up on each
  // after 250 ms, even if only this machine is slow.
  for (const host of ["127.0.0.1", "::1"]) {
    const socket = connect({ host, port: actual, allowHalfOpen: true, noDelay: true });
    try {
      await once(socket, "connect");
      return socket;
    } catch (error) {
      socket.destroy();
      cause ??= error;
    }
  }
  const isRefused = systemCode(cause) === "ECONNREFUSED";
  const reason = isRefused ? "nothing listens there" : describeError(cause);
  const place = port === actual ? `port ${port}` : `port ${port} (${actual} on its machine)`;
  throw new ProductError(cloudErrors.portClosed, {
    message: `Cannot connect to ${place} next to runner ${replica}: ${reason}.`,
    hint: "See its log with `deployctl runners logs`, which may name the port.",
    cause,
  });
}

export function withoutProcess(replica: string): ProductError {
  return new ProductError(cloudErrors.conflict, {
    message: `Runner ${replica} has no process of this user on this machine.`,
    hint: "Run `deployctl runners list` to see the running ones.",
  });
}

// Start-up of a replica, from the spawned process to a server that answers on its own port.
import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../../../base/clock.ts";
import {
  type Listener,
  nameProcess,
  readListeners,
  readSocketsOf,
} from "../../../base/listening-sockets.ts";
import type { ProcessFacts } from "../../process-stat.ts";
import { onLoopback } from "../../replica-address.ts";
import type { EngineWarning } from "../engine-warnings.ts";
import type { ExitCause } from "../exit-reason.ts";
import { canConnect, type HealthCheck, readinessOf } from "../ready-probe.ts";
import { membersOf, type ProcessIdentity, readProcesses, sessionOf } from "./process-table.ts";

export interface BringUpOptions {
  identity: ProcessIdentity;
  /** Port assigned to the replica. */
  port: number;
  /** Port in the script. */
  exposedPort: number;
  check: HealthCheck;
  /** Milliseconds since 1970. */
  deadline: number;
  startupTimeoutMs: number;
  clock: Clock;
  signal: AbortSignal;
  /** Reports the reason for waiting, at growing intervals. */
  report: (sentence: string) => void;
}

export type BringUpResult =
  | { kind: "ready"; port: number; speaksHttp: boolean; warnings: EngineWarning[] }
  | { kind: "failed"; cause: ExitCause }
  /** Aborted by the signal. */
  | { kind: "given_up" };

/** Polls often at first, so that a fast start is noticed at once. */
const eagerMs = 5_000;
const eagerPauseMs = 25;
const pauseMs = 250;
const connectLimitMs = 1_000;
const answerLimitMs = 5_000;
/** Time after opening its port at which a server that never answers HTTP counts as ready. */
const silenceLimitMs = 5_000;
/** Time after which a slow start is first reported; then after twice as long, and so on. */
const firstReportMs = 10_000;
/** Interval at which the script's own port is checked, in case the server ignored the port map. */
const unmappedPauseMs = 1_000;

/** Resolves when the replica is ready, has timed out, or another process owns its port. */
export async function bringUp(options: BringUpOptions): Promise<BringUpResult> {
  const { clock, signal, deadline, port } = options;
  const startedAt = clock.now();
  const reminder = new Reminder(options);
  let unmappedCheckAt = startedAt + unmappedPauseMs;
  while (!signal.aborted) {
    let result: BringUpResult | undefined;
    if (await canConnect(onLoopback(port), connectLimitMs)) {
      result = await waitForAnswer(options, port, [], reminder);
    } else if (clock.now() >= unmappedCheckAt) {
      unmappedCheckAt = clock.now() + unmappedPauseMs;
      if (await listensUnmapped(options)) {
        const { exposedPort } = options;
        result = await waitForAnswer(options, exposedPort, ["port_not_remapped"], reminder);
      }
    }
    if (result !== undefined) return result;
    // Checked last: an adopted replica may have become ready while no control plane ran.
    if (clock.wallMs() >= deadline) return await timedOut(options);
    await reminder.check();
    await pause(clock.now() - startedAt < eagerMs ? eagerPauseMs : pauseMs, signal);
  }
  return { kind: "given_up" };
}

/**
 * Waits for an answer on an open port.
 *
 * @returns undefined when the port closes again
 */
async function waitForAnswer(
  options: BringUpOptions,
  port: number,
  warnings: EngineWarning[],
  reminder: Reminder,
): Promise<BringUpResult | undefined> {
  const { check, clock, signal, deadline } = options;
  const owner = await ownerOf(options, port);
  if (owner.kind === "foreign") return { kind: "failed", cause: portTaken(port, owner.name) };
  if (owner.kind === "unknown") warnings.push("listener_unverified");
  if (owner.kind === "own" && !owner.isLoopback) warnings.push("listens_beyond_loopback");
  const openedAt = clock.now();
  let hasAnswered = false;
  while (!signal.aborted) {
    const state = await readinessOf(onLoopback(port), check, answerLimitMs);
    if (state === "ready") return { kind: "ready", port, speaksHttp: true, warnings };
    hasAnswered ||= state === "loading";
    if (state === "silent" && !(await canConnect(onLoopback(port), connectLimitMs)))
      return undefined;
    if (!hasAnswered && clock.now() - openedAt >= silenceLimitMs) {
      return { kind: "ready", port, speaksHttp: false, warnings: [...warnings, "no_http_answer"] };
    }
    if (clock.wallMs() >= deadline) return await timedOut(options);
    await reminder.check();
    await pause(pauseMs, signal);
  }
  return { kind: "given_up" };
}

type Owner =
  | { kind: "own"; isLoopback: boolean }
  | { kind: "foreign"; name: string }
  /** The system does not allow looking. */
  | { kind: "unknown" };

/** Checks twice before it reports a conflict, as a process may start while others are read. */
async function ownerOf({ identity }: BringUpOptions, port: number): Promise<Owner> {
  for (let isSecond = false; ; isSecond = true) {
    const listeners = (await readListeners()).filter((listener) => listener.port === port);
    const { own, isComplete } = await ownAmong(identity, listeners);
    if (own.length > 0) return { kind: "own", isLoopback: own.every((it) => it.isLoopback) };
    if (listeners.length === 0 || !isComplete) return { kind: "unknown" };
    if (isSecond) return { kind: "foreign", name: await nameOwner(listeners) };
  }
}

async function listensUnmapped({ identity, exposedPort, port }: BringUpOptions): Promise<boolean> {
  if (exposedPort === port) return false;
  const listeners = (await readListeners()).filter((listener) => listener.port === exposedPort);
  return listeners.length > 0 && (await ownAmong(identity, listeners)).own.length > 0;
}

/** Checks the session first: finding all processes with the nonce takes much longer. */
async function ownAmong(
  identity: ProcessIdentity,
  listeners: readonly Listener[],
): Promise<{ own: Listener[]; isComplete: boolean }> {
  const near = await heldBy(await sessionOf(identity), listeners);
  return near.own.length > 0 ? near : await heldBy(await membersOf(identity), listeners);
}

async function heldBy(
  processes: readonly ProcessFacts[],
  listeners: readonly Listener[],
): Promise<{ own: Listener[]; isComplete: boolean }> {
  const { inodes, isComplete } = await readSocketsOf(processes.map(({ id }) => id));
  return { own: listeners.filter(({ inode }) => inodes.has(inode)), isComplete };
}

async function nameOwner(listeners: readonly Listener[]): Promise<string> {
  for (const { id } of await readProcesses()) {
    const { inodes } = await readSocketsOf([id]);
    if (listeners.some(({ inode }) => inodes.has(inode))) return nameProcess(id);
  }
  return "another process";
}

function portTaken(port: number, owner: string): ExitCause {
  return { reason: "port_conflict", sentence: `Its port ${port} is already in use by ${owner}.` };
}

async function timedOut(options: BringUpOptions): Promise<BringUpResult> {
  const limit = `${options.startupTimeoutMs / 1000} s`;
  const sentence = `It was not ready within ${limit}: ${await describeListening(options)}.`;
  return { kind: "failed", cause: { reason: "startup_timeout", sentence } };
}

/** Describes what the replica listens on; the usual mistake is another port. */
async function describeListening({ exposedPort, port, identity }: BringUpOptions): Promise<string> {
  const { own } = await ownAmong(identity, await readListeners());
  const ports = [...new Set(own.map((listener) => listener.port))];
  if (ports.includes(port) || ports.includes(exposedPort))
    return "it is listening, but answers that it is not ready";
  const others = ports.length > 0 ? `, only on ${ports.join(", ")}` : "";
  return `it is not listening on port ${exposedPort}${others}`;
}

/** Reports the reason for a long wait. */
class Reminder {
  readonly #options: BringUpOptions;
  #nextMs = firstReportMs;

  constructor(options: BringUpOptions) {
    this.#options = options;
  }

  async check(): Promise<void> {
    const { clock, deadline, startupTimeoutMs, report } = this.#options;
    const waitedMs = clock.wallMs() - (deadline - startupTimeoutMs);
    if (waitedMs < this.#nextMs) return;
    while (this.#nextMs <= waitedMs) this.#nextMs *= 2;
    const times = `${Math.floor(waitedMs / 1000)} s (limit ${startupTimeoutMs / 1000} s)`;
    report(`not ready after ${times}: ${await describeListening(this.#options)}`);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // An abort ends the wait; the loop checks the signal.
  await wait(ms, undefined, { signal }).catch(() => {});
}

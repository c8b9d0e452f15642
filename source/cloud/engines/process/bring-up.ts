// From a spawned process to a server that answers: looks for its port, whose it is, and its first answer.
import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../../../base/clock.ts";
import {
  type Listener,
  nameProcess,
  readListeners,
  readSocketsOf,
} from "../../../base/listeners.ts";
import type { ProcessFacts } from "../../process-stat.ts";
import type { ExitCause } from "./exit-reason.ts";
import { membersOf, type ProcessIdentity, readProcesses, sessionOf } from "./process-table.ts";
import { canConnect, readinessOf } from "./ready-probe.ts";

export interface BringUpOptions {
  identity: ProcessIdentity;
  /** The one that it was given. */
  port: number;
  /** The one that its script says. */
  exposedPort: number;
  healthPath: string;
  /** Milliseconds since 1970. */
  deadline: number;
  startupTimeoutMs: number;
  clock: Clock;
  signal: AbortSignal;
  /** Told what it still waits for, again and again but ever more seldom. */
  tell: (sentence: string) => void;
}

export type BringUpResult =
  | { kind: "ready"; port: number; speaksHttp: boolean; warnings: string[] }
  | { kind: "failed"; cause: ExitCause }
  /** The signal came: it has ended, or nobody waits for it any more. */
  | { kind: "given_up" };

/** A ready script should not wait for us: at first we look often. */
const eagerMs = 5_000;
const eagerPauseMs = 25;
const pauseMs = 250;
const connectLimitMs = 1_000;
const answerLimitMs = 5_000;
/** How long after its port has opened a server that never answers HTTP counts as ready. */
const silenceLimitMs = 5_000;
/** A start that takes so long is told what it waits for; then after twice as long, and so on. */
const firstWordMs = 10_000;
/** How often we look whether it listens on the port that its script says, in spite of the map. */
const unmappedPauseMs = 1_000;

/** Resolves when the replica is ready, too late, or has another's port. */
export async function bringUp(options: BringUpOptions): Promise<BringUpResult> {
  const { clock, signal, deadline, port } = options;
  const startedAt = clock.now();
  const reminder = new Reminder(options);
  let unmappedLookAt = startedAt + unmappedPauseMs;
  while (!signal.aborted) {
    let result: BringUpResult | undefined;
    if (await canConnect(port, connectLimitMs)) {
      result = await greet(options, port, [], reminder);
    } else if (clock.now() >= unmappedLookAt) {
      unmappedLookAt = clock.now() + unmappedPauseMs;
      if (await listensUnmapped(options)) {
        const { exposedPort } = options;
        result = await greet(options, exposedPort, ["port_not_remapped"], reminder);
      }
    }
    if (result !== undefined) return result;
    // After the look: an adopted replica may have become ready while nobody looked.
    if (clock.wallMs() >= deadline) return await timedOut(options);
    await reminder.look();
    await pause(clock.now() - startedAt < eagerMs ? eagerPauseMs : pauseMs, signal);
  }
  return { kind: "given_up" };
}

/**
 * The port is open.
 *
 * @returns undefined when it closes again
 */
async function greet(
  options: BringUpOptions,
  port: number,
  warnings: string[],
  reminder: Reminder,
): Promise<BringUpResult | undefined> {
  const { healthPath, clock, signal, deadline } = options;
  const owner = await ownerOf(options, port);
  if (owner.kind === "foreign") return { kind: "failed", cause: portTaken(port, owner.name) };
  if (owner.kind === "unknown") warnings.push("listener_unverified");
  if (owner.kind === "own" && !owner.isLoopback) warnings.push("listens_beyond_loopback");
  const openedAt = clock.now();
  let hasAnswered = false;
  while (!signal.aborted) {
    const state = await readinessOf(port, healthPath, answerLimitMs);
    if (state === "ready") return { kind: "ready", port, speaksHttp: true, warnings };
    hasAnswered ||= state === "loading";
    if (state === "silent" && !(await canConnect(port, connectLimitMs))) return undefined;
    if (!hasAnswered && clock.now() - openedAt >= silenceLimitMs) {
      return { kind: "ready", port, speaksHttp: false, warnings: [...warnings, "no_http_answer"] };
    }
    if (clock.wallMs() >= deadline) return await timedOut(options);
    await reminder.look();
    await pause(pauseMs, signal);
  }
  return { kind: "given_up" };
}

type Owner =
  | { kind: "own"; isLoopback: boolean }
  | { kind: "foreign"; name: string }
  /** The system does not let us look. */
  | { kind: "unknown" };

/** Looks twice before it accuses: a process may be born while the others are read. */
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

/** Looks at the session first: to read who else carries the nonce takes much longer. */
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
  return { reason: "port_conflict", sentence: `Its port ${port} is held by ${owner}.` };
}

async function timedOut(options: BringUpOptions): Promise<BringUpResult> {
  const limit = `${options.startupTimeoutMs / 1000} s`;
  const sentence = `It was not ready within ${limit}: ${await whatIsSeen(options)}.`;
  return { kind: "failed", cause: { reason: "startup_timeout", sentence } };
}

/** What is there instead of a server that is ready: the usual mistake is another port. */
async function whatIsSeen({ exposedPort, port, identity }: BringUpOptions): Promise<string> {
  const { own } = await ownAmong(identity, await readListeners());
  const ports = [...new Set(own.map((listener) => listener.port))];
  if (ports.includes(port) || ports.includes(exposedPort))
    return "it listens, and answers that it is not ready";
  const others = ports.length > 0 ? `, but on ${ports.join(", ")}` : "";
  return `nothing of it listens on port ${exposedPort}${others}`;
}

/** Has a long wait say what it is for. */
class Reminder {
  readonly #options: BringUpOptions;
  #nextMs = firstWordMs;

  constructor(options: BringUpOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    const { clock, deadline, startupTimeoutMs, tell } = this.#options;
    const waitedMs = clock.wallMs() - (deadline - startupTimeoutMs);
    if (waitedMs < this.#nextMs) return;
    while (this.#nextMs <= waitedMs) this.#nextMs *= 2;
    const times = `${Math.floor(waitedMs / 1000)} s, of at most ${startupTimeoutMs / 1000} s`;
    tell(`not ready after ${times}: ${await whatIsSeen(this.#options)}`);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // An abort ends the wait, and the loop around it sees the signal.
  await wait(ms, undefined, { signal }).catch(() => {});
}

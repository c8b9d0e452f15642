// Ephemeral apps, which live as long as their client's connection.
import { describeError } from "../../base/product-error.ts";
import type { DeployEvent, DeploymentRequest, EphemeralEvent } from "../admin/documents.ts";
import { suggestName } from "../app-name.ts";
import type { Engine, ReplicaExit } from "../engines/engine.ts";
import { type AppKey, appName } from "../state/app-records.ts";
import type { AppCommands } from "./app-commands.ts";
import type { ControlContext } from "./control-context.ts";
import type { Deployments } from "./deployments.ts";
import { RunFeed } from "./feeds.ts";
import type { ReplicaManager } from "./replica-manager.ts";
import { exitOf } from "./replica-shutdowns.ts";
import type { RunningRollouts } from "./running-rollouts.ts";

const heartbeatMs = 10_000;
/** Time that running requests get when the client disconnects. */
const lastRequestsMs = 5000;

/** Leaves room for a number behind the name. */
const longestBaseName = 55;

export interface EphemeralParts {
  manager: ReplicaManager;
  deployments: Deployments;
  rollouts: RunningRollouts;
  commands: AppCommands;
}

export class EphemeralRuns {
  readonly #context: ControlContext;
  readonly #parts: EphemeralParts;

  constructor(context: ControlContext, parts: EphemeralParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /**
   * @param signal aborts when the connection ends; the app ends with it
   * @throws ProductError when nothing was started
   */
  async run(
    request: DeploymentRequest,
    organisation: string,
    signal: AbortSignal,
  ): Promise<AsyncIterable<EphemeralEvent>> {
    const key = { organisation, app: request.name ?? this.#freeName(organisation, request) };
    const acceptance = { key, isEphemeral: true, createdBy: undefined };
    const sinceMs = this.#context.clock.wallMs();
    const deploying = await this.#parts.deployments.accept(
      { ...request, isForced: false },
      acceptance,
    );
    const feed = new RunFeed();
    const log = new RunLog(this.#context.engine, { ...key, sinceMs }, feed);
    void this.#live(key, deploying.read(), { feed, log, signal });
    return feed.read();
  }

  /** Returns the script's name, with a number if another app has it. */
  #freeName(organisation: string, { bundle, inspection }: DeploymentRequest): string {
    const { apps } = this.#context.store;
    const named = [inspection.config.app_name, inspection.config.name];
    const own = named.find((name) => typeof name === "string");
    const name = suggestName(own ?? bundle.script.split("/").at(-1) ?? "");
    let free = name;
    for (let number = 2; apps.find({ organisation, app: free }) !== undefined; number += 1) {
      free = `${name.slice(0, longestBaseName).replace(/-+$/, "")}-${number}`;
    }
    return free;
  }

  /** Ends apps whose connection broke when an earlier control plane stopped. */
  async endAll(): Promise<void> {
    for (const app of this.#context.store.apps.list()) {
      if (app.isEphemeral && app.desired !== "deleted") await this.#end(app);
    }
  }

  async #live(
    key: AppKey,
    deploying: AsyncIterable<DeployEvent>,
    { feed, log, signal }: { feed: RunFeed; log: RunLog; signal: AbortSignal },
  ): Promise<void> {
    const following = new AbortController();
    const heartbeat = setInterval(
      () => feed.add({ kind: "heartbeat", at: this.#context.clock.wallMs() }),
      heartbeatMs,
    );
    const leave = () => void this.#parts.rollouts.abort(key, "its client disconnected");
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
    const reading = AbortSignal.any([signal, following.signal]);
    const followed = this.#orLog(key, reading, () => log.follow(reading));
    const last = await this.#orLog(key, signal, () =>
      this.#untilOver(key, deploying, feed, signal),
    );
    // Ends the app first: an exited replica would be replaced while its last lines are read.
    await this.#end(key);
    following.abort();
    await followed;
    if (last !== undefined) {
      await this.#orLog(key, signal, () => log.rest(signal));
      feed.add(last);
    }
    clearInterval(heartbeat);
    signal.removeEventListener("abort", leave);
    feed.end();
  }

  /** @returns the last event */
  async #untilOver(
    key: AppKey,
    deploying: AsyncIterable<DeployEvent>,
    feed: RunFeed,
    signal: AbortSignal,
  ): Promise<EphemeralEvent> {
    for await (const event of deploying) {
      if (event.kind === "failed") return event;
      // The app's log, which is sent in full, includes these lines.
      if (event.kind !== "log") feed.add(event);
    }
    const replica = this.#servingReplica(key);
    const exit = await this.#parts.manager.until(() => this.#exitOf(replica), signal);
    const sentence = `${this.#causeOfEnd(key)}${exit.sentence}`;
    return { kind: "ended", exit: { ...exit, sentence } };
  }

  /** Names the command that ended the app, if it was not the client itself. */
  #causeOfEnd(key: AppKey): string {
    const desired = this.#context.store.apps.find(key)?.desired ?? "deleted";
    if (desired === "active") return "";
    return `${appName(key)} was ${desired === "paused" ? "paused" : "deleted"} by another command. `;
  }

  /** Logs an error instead of throwing, so that a run always ends. */
  async #orLog<T>(
    key: AppKey,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!signal.aborted) this.#context.log(`${appName(key)} ended: ${describeError(error)}`);
      return undefined;
    }
  }

  /** An ephemeral app ends with its replica. */
  #exitOf(replica: string | undefined): ReplicaExit | undefined {
    const record = replica === undefined ? undefined : this.#context.store.replicas.find(replica);
    if (record === undefined) return gone;
    return record.stage === "ended" ? (record.exit ?? gone) : undefined;
  }

  #servingReplica(key: AppKey): string | undefined {
    const living = this.#context.store.replicas.livingOf(key);
    return living.find(({ purpose }) => purpose === "serving")?.replica;
  }

  async #end(key: AppKey): Promise<void> {
    const { store, log } = this.#context;
    try {
      const app = store.apps.find(key);
      if (app === undefined || app.desired === "deleting") return;
      for (const { replica } of store.replicas.livingOf(key)) {
        this.#parts.manager.drain(replica, lastRequestsMs);
      }
      await this.#parts.commands.delete(key);
    } catch (error) {
      log(`${appName(key)} cannot be removed: ${describeError(error)}`);
    }
  }
}

/** Log of an ephemeral app: sends every line once, from first to last. */
export class RunLog {
  readonly #engine: Pick<Engine, "logs">;
  readonly #of: AppKey & { sinceMs: number };
  readonly #feed: RunFeed;
  /** Last lines sent, in the form of `LogQuery.after`. */
  readonly #sent = new Map<string, number>();

  /** @param of the app; its time excludes earlier ones of the same name */
  constructor(engine: Pick<Engine, "logs">, of: AppKey & { sinceMs: number }, feed: RunFeed) {
    this.#engine = engine;
    this.#of = of;
    this.#feed = feed;
  }

  /** Sends existing and new lines until the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    await this.#send(true, signal);
  }

  /** Sends lines that were written before `follow` ended and not sent yet. */
  async rest(signal: AbortSignal): Promise<void> {
    await this.#send(false, signal);
  }

  async #send(follow: boolean, signal: AbortSignal): Promise<void> {
    const after = new Map(this.#sent);
    for await (const line of this.#engine.logs({ ...this.#of, after, follow, signal })) {
      if (signal.aborted) return;
      this.#feed.add({ kind: "line", line });
      this.#sent.set(`${line.revision}/${line.replica}`, line.seq);
      await this.#feed.room(signal);
    }
  }
}

const gone = exitOf("lost", "Its process is gone.");

// Apps that live as long as the connection of whoever runs them.
import { randomUUID } from "node:crypto";
import { describeError } from "../../base/product-error.ts";
import type { DeployEvent, DeploymentRequest, EphemeralEvent } from "../admin/documents.ts";
import type { ReplicaExit } from "../engines/engine.ts";
import { type AppKey, appName } from "../state/app-records.ts";
import type { AppCommands } from "./app-commands.ts";
import type { ControlContext } from "./control-context.ts";
import type { Deployments } from "./deployments.ts";
import type { ReplicaKeeper } from "./replica-keeper.ts";
import { RunFeed } from "./run-feed.ts";
import { RunLog } from "./run-log.ts";

const heartbeatMs = 10_000;
/** Requests that run when their runner leaves get so long. */
const lastRequestsMs = 5000;

export class EphemeralRuns {
  readonly #context: ControlContext;
  readonly #keeper: ReplicaKeeper;
  readonly #deployments: Deployments;
  readonly #commands: AppCommands;

  constructor(
    context: ControlContext,
    parts: { keeper: ReplicaKeeper; deployments: Deployments; commands: AppCommands },
  ) {
    this.#context = context;
    this.#keeper = parts.keeper;
    this.#deployments = parts.deployments;
    this.#commands = parts.commands;
  }

  /**
   * @param signal aborts when the connection ends; the app ends with it
   * @throws ProductError when nothing was begun
   */
  async run(
    request: DeploymentRequest,
    organisation: string,
    signal: AbortSignal,
  ): Promise<AsyncIterable<EphemeralEvent>> {
    const key = { organisation, app: request.name ?? randomUUID() };
    const acceptance = { key, isEphemeral: true, createdBy: undefined };
    const sinceMs = this.#context.clock.wallMs();
    const deploying = await this.#deployments.accept({ ...request, isForced: false }, acceptance);
    const feed = new RunFeed();
    const log = new RunLog(this.#context.engine, { ...key, sinceMs }, feed);
    void this.#live(key, deploying.read(), { feed, log, signal });
    return feed.read();
  }

  /** Those whose connections an earlier control plane took with it. */
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
    const leave = () => void this.#deployments.abort(key, "its runner left");
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
    const reading = AbortSignal.any([signal, following.signal]);
    const followed = this.#orLog(key, reading, () => log.follow(reading));
    const last = await this.#orLog(key, signal, () =>
      this.#untilOver(key, deploying, feed, signal),
    );
    // First of all: a replica that has ended would be replaced while its last lines are read.
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

  /** @returns what is told last */
  async #untilOver(
    key: AppKey,
    deploying: AsyncIterable<DeployEvent>,
    feed: RunFeed,
    signal: AbortSignal,
  ): Promise<EphemeralEvent> {
    for await (const event of deploying) {
      if (event.kind === "failed") return event;
      // What is logged while it starts is in the app's log, which is told whole.
      if (event.kind !== "log") feed.add(event);
    }
    const replica = this.#servingReplica(key);
    const exit = await this.#keeper.until(() => this.#exitOf(replica), signal);
    const sentence = `${this.#wishOfOthers(key)}${exit.sentence}`;
    return { kind: "ended", exit: { ...exit, sentence } };
  }

  /** Its runner has not asked for it: who else has, and for what. */
  #wishOfOthers(key: AppKey): string {
    const desired = this.#context.store.apps.find(key)?.desired ?? "deleted";
    if (desired === "active") return "";
    return `${appName(key)} was ${desired === "paused" ? "paused" : "deleted"} by another command. `;
  }

  /** Whatever goes wrong on the way, a run comes to its end. */
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

  /** A script that is run once is over when its replica has ended. */
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
        this.#keeper.drain(replica, lastRequestsMs);
      }
      await this.#commands.delete(key);
    } catch (error) {
      log(`${appName(key)} is not removed: ${describeError(error)}`);
    }
  }
}

const gone: ReplicaExit = {
  code: undefined,
  signal: undefined,
  reason: "lost",
  sentence: "Its process is not there any more.",
  tail: [],
};

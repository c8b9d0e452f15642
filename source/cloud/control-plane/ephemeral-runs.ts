// Apps that live as long as the connection of whoever runs them.
import { randomUUID } from "node:crypto";
import { AsyncQueue } from "../../base/async-queue.ts";
import { describeError } from "../../base/product-error.ts";
import type { DeploymentRequest, EphemeralEvent } from "../admin/documents.ts";
import type { ReplicaExit } from "../engines/engine.ts";
import { type AppKey, appName } from "../state/app-records.ts";
import type { AppCommands } from "./app-commands.ts";
import type { ControlContext } from "./control-context.ts";
import type { Deployments } from "./deployments.ts";
import type { ReplicaKeeper } from "./replica-keeper.ts";

const heartbeatMs = 10_000;
/** Lines that wait for a slow reader beyond so many are left out; the log itself has them. */
const mostWaiting = 10_000;
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
    const deploying = await this.#deployments.accept({ ...request, isForced: false }, acceptance);
    const feed = new RunFeed();
    void this.#live(key, deploying.read(), feed, signal);
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
    deploying: AsyncIterable<EphemeralEvent>,
    feed: RunFeed,
    signal: AbortSignal,
  ): Promise<void> {
    const ending = new AbortController();
    const end = AbortSignal.any([signal, ending.signal]);
    const heartbeat = setInterval(
      () => feed.add({ kind: "heartbeat", at: this.#context.clock.wallMs() }),
      heartbeatMs,
    );
    const leave = () => void this.#deployments.abort(key, "its runner left");
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
    try {
      let isUp = false;
      for await (const event of deploying) {
        feed.add(event);
        isUp = event.kind === "done";
      }
      if (isUp && !signal.aborted) {
        void this.#followLog(key, feed, end);
        const replica = this.#servingReplica(key);
        const exit = await this.#keeper.until(() => this.#exitOf(replica), end);
        feed.add({ kind: "ended", exit });
      }
    } catch (error) {
      if (!signal.aborted) this.#context.log(`${appName(key)} ended: ${describeError(error)}`);
    } finally {
      clearInterval(heartbeat);
      signal.removeEventListener("abort", leave);
      ending.abort();
      await this.#end(key);
      feed.end();
    }
  }

  async #followLog(key: AppKey, feed: RunFeed, signal: AbortSignal): Promise<void> {
    try {
      for await (const line of this.#context.engine.logs({ ...key, follow: true, signal })) {
        if (signal.aborted) return;
        feed.add({ kind: "line", line });
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#context.log(`no log of ${appName(key)}: ${describeError(error)}`);
      }
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

/** One reader, who may be slower than what is written. */
class RunFeed {
  readonly #queue = new AsyncQueue<EphemeralEvent>();
  #waiting = 0;

  add(event: EphemeralEvent): void {
    if (this.#waiting >= mostWaiting && (event.kind === "line" || event.kind === "log")) return;
    this.#waiting += 1;
    this.#queue.push(event);
  }

  end(): void {
    this.#queue.end();
  }

  async *read(): AsyncGenerator<EphemeralEvent> {
    for await (const event of this.#queue) {
      this.#waiting -= 1;
      yield event;
    }
  }
}

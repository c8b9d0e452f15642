// Takes deployments in, one at a time for each app, and sees them through, also after a crash.
import { describeError, ProductError } from "../../base/product-error.ts";
import type {
  DeployEvent,
  DeploymentRequest,
  DeployResult,
  DeployStrategy,
} from "../admin/documents.ts";
import { cloudErrors } from "../errors.ts";
import { type AppKey, appName } from "../state/app-records.ts";
import { readBundle } from "../state/bundle-store.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import type { ControlContext } from "./control-context.ts";
import { EventFeed } from "./event-feed.ts";
import { giveUpRevision } from "./give-up-revision.ts";
import type { ReplicaKeeper } from "./replica-keeper.ts";
import { retireRevisions } from "./retire-revisions.ts";
import { type Acceptance, checkDeployment, RevisionIntake } from "./revision-intake.ts";
import { RollOut } from "./roll-out.ts";
import { RolloutFailure } from "./rollout-failure.ts";
import { checkSmoke } from "./smoke-test.ts";

interface Running {
  revision: string;
  contentHash: string;
  feed: EventFeed<DeployEvent>;
  abort: AbortController;
  done: Promise<void>;
}

export interface ActivateRequest {
  strategy?: DeployStrategy | undefined;
  smoke?: string | undefined;
}

export class Deployments {
  readonly #context: ControlContext;
  readonly #keeper: ReplicaKeeper;
  readonly #intake: RevisionIntake;
  readonly #running = new Map<string, Running>();
  #isClosed = false;

  constructor(context: ControlContext, keeper: ReplicaKeeper) {
    this.#context = context;
    this.#keeper = keeper;
    this.#intake = new RevisionIntake(context.store, context.clock);
  }

  /**
   * Makes a revision of what is sent and begins to roll it out. What is active already is not
   * deployed again; what is being deployed already is followed.
   *
   * @throws ProductError when nothing was begun: a bad name, bad files, a conflict
   */
  async accept(
    request: DeploymentRequest,
    acceptance: Acceptance,
  ): Promise<EventFeed<DeployEvent>> {
    const { key, isEphemeral } = acceptance;
    checkDeployment(request, key);
    this.#refuseMixing(key, isEphemeral);
    const { store } = this.#context;
    const bundle = readBundle(request.bundle);
    const contentHash = this.#intake.hash(request, bundle.hash);
    const running = this.#running.get(appName(key));
    if (running?.contentHash === contentHash) return running.feed;
    const same = request.isForced ? undefined : this.#intake.unchanged(key, contentHash);
    if (same !== undefined) {
      if (request.resetsScale) store.apps.update(key, { overrides: {} });
      return doneAlready(this.#noChange(same));
    }
    // While one is given up another may begin.
    while (request.isForced && this.#running.has(appName(key))) {
      await this.abort(key, "a newer one took its place");
    }
    // From here to the beginning nothing is waited for: nobody comes between.
    this.#refuseBusy(key);
    this.#refuseMixing(key, isEphemeral);
    store.bundles.keep(bundle);
    const content = { bundle: bundle.hash, contentHash };
    const revision = this.#intake.record(request, acceptance, content);
    return this.#begin(revision);
  }

  /**
   * Rolls back, or forward, to a revision there is.
   *
   * @throws ProductError `CLOUD_CONFLICT`
   */
  switchTo(revision: RevisionRecord, request: ActivateRequest): EventFeed<DeployEvent> {
    const app = this.#context.store.apps.get(revision);
    if (app.activeRevision === revision.revision && app.rollout === undefined) {
      return doneAlready(this.#noChange(revision));
    }
    return this.activate(revision, request);
  }

  /**
   * The same, also for the active one: its replicas are renewed.
   *
   * @throws ProductError `CLOUD_CONFLICT`
   */
  activate(revision: RevisionRecord, request: ActivateRequest): EventFeed<DeployEvent> {
    const { store, clock } = this.#context;
    if (request.smoke !== undefined) checkSmoke(request.smoke);
    this.#refuseBusy(revision);
    if (revision.state === "RETIRED") {
      throw new ProductError(cloudErrors.conflict, {
        message: `Revision ${revision.revision} is retired: its files were removed.`,
        hint: "Deploy its script again; pin a revision to keep it.",
      });
    }
    store.apps.update(revision, {
      rollout: {
        revision: revision.revision,
        strategy: request.strategy ?? "rolling",
        isHolding: false,
        smoke: request.smoke,
        since: clock.wallMs(),
      },
    });
    return this.#begin(revision);
  }

  /** Carries on with what an earlier control plane had begun. */
  resume(): void {
    const { store } = this.#context;
    for (const app of store.apps.list()) {
      if (app.rollout === undefined || app.desired === "deleted") continue;
      const revision = store.revisions.find({ ...app, revision: app.rollout.revision });
      if (revision === undefined) store.apps.update(app, { rollout: undefined });
      else this.#begin(revision);
    }
  }

  /** Gives up what is being rolled out; resolves when nothing of it goes on. */
  async abort(key: AppKey, reason: string): Promise<void> {
    const running = this.#running.get(appName(key));
    if (running === undefined) return;
    running.abort.abort(
      new ProductError(cloudErrors.deployAborted, {
        message: `The deployment of ${running.revision} was given up: ${reason}.`,
      }),
    );
    await running.done;
  }

  /** Stops following; what is being rolled out is carried on by the next control plane. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running.values()];
    for (const { abort } of running) abort.abort(new Error("the control plane stops"));
    await Promise.all(running.map(({ done }) => done));
  }

  #refuseMixing(key: AppKey, isEphemeral: boolean): void {
    const app = this.#context.store.apps.find(key);
    if (app === undefined || app.desired === "deleted") return;
    if (app.desired === "deleting") {
      throw new ProductError(cloudErrors.conflict, {
        message: `The app ${appName(key)} is being deleted; its last requests are still answered.`,
        hint: "Deploy it again when deployctl apps list does not show it any more.",
      });
    }
    if (!isEphemeral && !app.isEphemeral) return;
    throw new ProductError(cloudErrors.conflict, {
      message: `The name ${appName(key)} belongs to an app that ${app.isEphemeral ? "runs just now" : "is deployed"}.`,
      hint: "Choose another name with --app-name.",
    });
  }

  #refuseBusy(key: AppKey): void {
    const running = this.#running.get(appName(key));
    if (running === undefined) return;
    throw new ProductError(cloudErrors.conflict, {
      message: `Revision ${running.revision} of ${appName(key)} is being rolled out.`,
      hint: "Wait for it, or put this deployment in its place with --force.",
    });
  }

  #noChange(revision: RevisionRecord): DeployResult {
    const { store, baseUrl } = this.#context;
    const isPaused = store.apps.get(revision).desired === "paused";
    return {
      app: appName(revision),
      revision: revision.revision,
      status: "no_change",
      url: `${baseUrl()}/${appName(revision)}`,
      auth: revision.config.auth,
      cold_start_ms: undefined,
      previous: undefined,
      warnings: isPaused
        ? [`${appName(revision)} is paused; deployctl apps resume starts it.`]
        : [],
    };
  }

  #begin(revision: RevisionRecord): EventFeed<DeployEvent> {
    const feed = eventFeed();
    const abort = new AbortController();
    const key = { organisation: revision.organisation, app: revision.app };
    const done = this.#see(revision, feed, abort.signal).finally(() => {
      this.#running.delete(appName(key));
      feed.end();
    });
    const { contentHash } = revision;
    this.#running.set(appName(key), {
      revision: revision.revision,
      contentHash,
      feed,
      abort,
      done,
    });
    return feed;
  }

  async #see(
    { organisation, app, revision }: RevisionRecord,
    feed: EventFeed<DeployEvent>,
    signal: AbortSignal,
  ): Promise<void> {
    const key = { organisation, app };
    const tail: string[] = [];
    const report = (event: DeployEvent) => {
      if (event.kind === "log") keepTail(tail, event.text);
      feed.add(event);
    };
    try {
      const options = { context: this.#context, keeper: this.#keeper, app: key, revision };
      const result = await new RollOut({ ...options, report, signal }).run();
      await this.#retire(key);
      feed.add({ kind: "done", result });
    } catch (error) {
      // The next control plane goes on where this one stopped.
      if (this.#isClosed) return;
      const failure = error instanceof RolloutFailure ? error.error : error;
      const exit = error instanceof RolloutFailure ? error.exit : undefined;
      if (!(failure instanceof ProductError)) {
        this.#context.log(`${appName(key)} ${revision}: ${stackOf(failure)}`);
      }
      try {
        const { aborted: wasAborted } = signal;
        giveUpRevision(this.#context, this.#keeper, { ...key, revision, failure, wasAborted });
      } catch (problem) {
        // With a full disk nothing can be written down: the next control plane carries on with it.
        this.#context.log(`${appName(key)} ${revision} stays open: ${describeError(problem)}`);
      }
      feed.add({
        kind: "failed",
        code: failure instanceof ProductError ? failure.code : "UNEXPECTED",
        sentence: describeError(failure),
        exitCode: failure instanceof ProductError ? failure.exitCode : 1,
        reason: exit?.reason ?? (isShortage(failure) ? "unschedulable" : undefined),
        tail: exit === undefined || exit.tail.length === 0 ? tail : exit.tail,
      });
      this.#context.wake();
    }
  }

  async #retire(key: AppKey): Promise<void> {
    try {
      await retireRevisions(this.#context, key);
    } catch (error) {
      // The new revision is active whether or not old ones are removed.
      this.#context.log(`old revisions of ${appName(key)} stay: ${describeError(error)}`);
    }
  }
}

function isShortage(failure: unknown): boolean {
  return failure instanceof ProductError && failure.code === cloudErrors.noCapacity.code;
}

const keptTail = 40;

function keepTail(tail: string[], text: string): void {
  tail.push(text);
  if (tail.length > keptTail) tail.shift();
}

function eventFeed(): EventFeed<DeployEvent> {
  return new EventFeed<DeployEvent>({
    isLine: ({ kind }) => kind === "log",
    more: { kind: "log", text: "… further lines are in the log alone: deployctl logs APP" },
  });
}

function doneAlready(result: DeployResult): EventFeed<DeployEvent> {
  const feed = eventFeed();
  feed.add({ kind: "done", result });
  feed.end();
  return feed;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

// Deployments: accepted one at a time for each app, and resumed after a crash.
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
import { failRevision } from "./fail-revision.ts";
import type { ReplicaManager } from "./replica-manager.ts";
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
  readonly #manager: ReplicaManager;
  readonly #intake: RevisionIntake;
  readonly #running = new Map<string, Running>();
  #isClosed = false;

  constructor(context: ControlContext, manager: ReplicaManager) {
    this.#context = context;
    this.#manager = manager;
    this.#intake = new RevisionIntake(context.store, context.clock);
  }

  /**
   * Creates a revision and starts its rollout. An unchanged active revision is not deployed again;
   * a running deployment of the same content is followed.
   *
   * @throws ProductError when nothing was started: an invalid name, invalid files, a conflict
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
    const contentHash = this.#intake.hash(request, key, bundle.hash);
    const running = this.#running.get(appName(key));
    if (running?.contentHash === contentHash) return running.feed;
    const same = request.isForced ? undefined : this.#intake.unchanged(key, contentHash);
    if (same !== undefined) {
      if (request.resetsScale) store.apps.update(key, { overrides: {} });
      return finishedFeed(this.#noChange(same));
    }
    // Another deployment may start while one is being cancelled.
    while (request.isForced && this.#running.has(appName(key))) {
      await this.abort(key, "replaced by a newer one");
    }
    // No await from here until the rollout starts, so that no other deployment gets in between.
    this.#refuseBusy(key);
    this.#refuseMixing(key, isEphemeral);
    store.bundles.keep(bundle);
    const content = { bundle: bundle.hash, contentHash };
    const revision = this.#intake.record(request, acceptance, content);
    return this.#begin(revision);
  }

  /**
   * Activates an existing revision, newer or older.
   *
   * @throws ProductError `CLOUD_CONFLICT`
   */
  switchTo(revision: RevisionRecord, request: ActivateRequest): EventFeed<DeployEvent> {
    const app = this.#context.store.apps.get(revision);
    if (app.activeRevision === revision.revision && app.rollout === undefined) {
      return finishedFeed(this.#noChange(revision));
    }
    return this.activate(revision, request);
  }

  /**
   * Activates a revision; for the active one, replaces its replicas.
   *
   * @throws ProductError `CLOUD_CONFLICT`
   */
  activate(revision: RevisionRecord, request: ActivateRequest): EventFeed<DeployEvent> {
    const { store, clock } = this.#context;
    if (request.smoke !== undefined) checkSmoke(request.smoke);
    this.#refuseBusy(revision);
    if (revision.state === "RETIRED") {
      throw new ProductError(cloudErrors.conflict, {
        message: `Revision ${revision.revision} is retired and its files are removed.`,
        hint: "Deploy its script again. Pin a revision to keep its files.",
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

  /** Resumes the rollouts of an earlier control plane. */
  resume(): void {
    const { store } = this.#context;
    for (const app of store.apps.list()) {
      if (app.rollout === undefined || app.desired === "deleted") continue;
      const revision = store.revisions.find({ ...app, revision: app.rollout.revision });
      if (revision === undefined) store.apps.update(app, { rollout: undefined });
      else this.#begin(revision);
    }
  }

  /** Cancels a rollout; resolves when it has stopped. */
  async abort(key: AppKey, reason: string): Promise<void> {
    const running = this.#running.get(appName(key));
    if (running === undefined) return;
    running.abort.abort(
      new ProductError(cloudErrors.deployAborted, {
        message: `The deployment of ${running.revision} was cancelled: ${reason}.`,
      }),
    );
    await running.done;
  }

  /** Stops; the next control plane resumes running rollouts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running.values()];
    for (const { abort } of running) abort.abort(new Error("the control plane is stopping"));
    await Promise.all(running.map(({ done }) => done));
  }

  #refuseMixing(key: AppKey, isEphemeral: boolean): void {
    const app = this.#context.store.apps.find(key);
    if (app === undefined || app.desired === "deleted") return;
    if (app.desired === "deleting") {
      throw new ProductError(cloudErrors.conflict, {
        message: `App ${appName(key)} is still being deleted.`,
        hint: "Deploy again once `deployctl apps list` no longer shows it.",
      });
    }
    if (!isEphemeral && !app.isEphemeral) return;
    throw new ProductError(cloudErrors.conflict, {
      message: `The name ${appName(key)} is taken by ${app.isEphemeral ? "a running ephemeral app" : "a deployed app"}.`,
      hint: "Choose another name with --app-name.",
    });
  }

  #refuseBusy(key: AppKey): void {
    const running = this.#running.get(appName(key));
    if (running === undefined) return;
    throw new ProductError(cloudErrors.conflict, {
      message: `Another deployment of ${appName(key)} is in progress (revision ${running.revision}).`,
      hint: "Wait for it, or replace it with --force.",
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
        ? [`${appName(revision)} is paused; start it with \`deployctl apps resume\`.`]
        : [],
    };
  }

  #begin(revision: RevisionRecord): EventFeed<DeployEvent> {
    const feed = eventFeed();
    const abort = new AbortController();
    const key = { organisation: revision.organisation, app: revision.app };
    const done = this.#runRollout(revision, feed, abort.signal).finally(() => {
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

  async #runRollout(
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
      const options = { context: this.#context, manager: this.#manager, app: key, revision };
      const result = await new RollOut({ ...options, report, signal }).run();
      await this.#retire(key);
      feed.add({ kind: "done", result });
    } catch (error) {
      // The next control plane resumes here.
      if (this.#isClosed) return;
      const failure = error instanceof RolloutFailure ? error.error : error;
      const exit = error instanceof RolloutFailure ? error.exit : undefined;
      if (!(failure instanceof ProductError)) {
        this.#context.log(`${appName(key)} ${revision}: ${stackOf(failure)}`);
      }
      try {
        const { aborted: wasAborted } = signal;
        failRevision(this.#context, this.#manager, { ...key, revision, failure, wasAborted });
      } catch (problem) {
        // A full disk prevents recording the failure: the next control plane resumes the rollout.
        this.#context.log(
          `${appName(key)} ${revision} cannot be recorded as failed: ${describeError(problem)}`,
        );
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
      // The new revision is active even if removing old ones fails.
      this.#context.log(`cannot remove old revisions of ${appName(key)}: ${describeError(error)}`);
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
    more: { kind: "log", text: "… for more lines, run `deployctl logs APP`" },
  });
}

function finishedFeed(result: DeployResult): EventFeed<DeployEvent> {
  const feed = eventFeed();
  feed.add({ kind: "done", result });
  feed.end();
  return feed;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

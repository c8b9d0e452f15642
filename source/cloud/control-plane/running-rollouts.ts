// Rollouts in progress, one for each app; a new control plane resumes those of an earlier one.
import { describeError, ProductError } from "../../base/product-error.ts";
import type { DeployEvent, DeploymentRequest, RolloutRequest } from "../admin/documents.ts";
import { cloudErrors } from "../errors.ts";
import { type AppKey, appName } from "../state/app-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import type { ControlContext } from "./control-context.ts";
import { failRevision } from "./end-rollout.ts";
import { DeployFeed } from "./feeds.ts";
import type { ReplicaManager } from "./replica-manager.ts";
import { retireRevisions } from "./retire-revisions.ts";
import { RollOut } from "./roll-out.ts";
import { RolloutFailure } from "./rollout-failure.ts";
import { checkSmoke } from "./smoke-test.ts";

interface Running {
  revision: string;
  contentHash: string;
  feed: DeployFeed;
  abort: AbortController;
  done: Promise<void>;
}

type RolloutOptions = Pick<RolloutRequest, "strategy" | "smoke"> &
  Pick<DeploymentRequest, "traffic">;

export class RunningRollouts {
  readonly #context: ControlContext;
  readonly #manager: ReplicaManager;
  /** By `organisation/app`. */
  readonly #running = new Map<string, Running>();
  #isClosed = false;

  constructor(context: ControlContext, manager: ReplicaManager) {
    this.#context = context;
    this.#manager = manager;
  }

  find(key: AppKey): Pick<Running, "revision" | "contentHash" | "feed"> | undefined {
    return this.#running.get(appName(key));
  }

  /** @throws ProductError `CLOUD_CONFLICT` while another deployment is in progress */
  refuseBusy(key: AppKey): void {
    const running = this.find(key);
    if (running === undefined) return;
    throw new ProductError(cloudErrors.conflict, {
      message: `Another deployment of ${appName(key)} is in progress (revision ${running.revision}).`,
      hint: "Wait for it, or replace it with --force.",
    });
  }

  /**
   * Records and starts the rollout of an existing revision.
   *
   * @throws ProductError `CLOUD_CONFLICT`
   */
  rollOut(
    revision: RevisionRecord,
    { strategy = "rolling", smoke, traffic }: RolloutOptions,
  ): DeployFeed {
    const { store, clock } = this.#context;
    if (smoke !== undefined) checkSmoke(smoke);
    this.refuseBusy(revision);
    if (revision.state === "RETIRED") {
      throw new ProductError(cloudErrors.conflict, {
        message: `Revision ${revision.revision} is retired and its files are removed.`,
        hint: "Deploy its script again. Pin a revision to keep its files.",
      });
    }
    const since = clock.wallMs();
    const target = {
      revision: revision.revision,
      strategy,
      isHolding: false,
      smoke,
      traffic,
      since,
    };
    store.apps.update(revision, { rollout: target });
    return this.begin(revision);
  }

  /** Starts the rollout that the revision's app has recorded. */
  begin(revision: RevisionRecord): DeployFeed {
    const feed = new DeployFeed();
    const abort = new AbortController();
    const key = { organisation: revision.organisation, app: revision.app };
    const done = this.#run(revision, feed, abort.signal).finally(() => {
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

  /** Resumes the rollouts of an earlier control plane. */
  resume(): void {
    const { store } = this.#context;
    for (const app of store.apps.list()) {
      if (app.rollout === undefined || app.desired === "deleted") continue;
      const revision = store.revisions.find({ ...app, revision: app.rollout.revision });
      if (revision === undefined) store.apps.update(app, { rollout: undefined });
      else this.begin(revision);
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

  /** Stops running rollouts, which the next control plane resumes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running.values()];
    for (const { abort } of running) abort.abort(new Error("the control plane is stopping"));
    await Promise.all(running.map(({ done }) => done));
  }

  async #run(
    { organisation, app, revision }: RevisionRecord,
    feed: DeployFeed,
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
    } catch (failure) {
      // The next control plane resumes here.
      if (this.#isClosed) return;
      const exit = failure instanceof RolloutFailure ? failure.exit : undefined;
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

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

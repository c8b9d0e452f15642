// Takes deployments in, one at a time for each app, and sees them through, also after a crash.
import { createHash } from "node:crypto";
import { describeError, ProductError } from "../../base/product-error.ts";
import type {
  DeployEvent,
  DeploymentRequest,
  DeployResult,
  DeployStrategy,
} from "../admin/documents.ts";
import { checkName } from "../app-name.ts";
import { cloudErrors } from "../errors.ts";
import { type AppKey, type AppRecord, appName, type RevisionKey } from "../state/app-records.ts";
import { readBundle } from "../state/bundle-store.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import { checkVariable } from "../state/secret-store.ts";
import type { ControlContext } from "./control-context.ts";
import { EventFeed } from "./event-feed.ts";
import type { ReplicaKeeper } from "./replica-keeper.ts";
import { retireRevisions } from "./retire-revisions.ts";
import { RollOut, RolloutFailure } from "./roll-out.ts";
import { checkSmoke } from "./smoke-test.ts";

interface Running {
  revision: string;
  contentHash: string;
  feed: EventFeed<DeployEvent>;
  abort: AbortController;
  done: Promise<void>;
}

/** What a deployment is made of, besides the files. */
export interface Acceptance {
  key: AppKey;
  isEphemeral: boolean;
  createdBy: string | undefined;
}

export interface ActivateRequest {
  strategy?: DeployStrategy | undefined;
  smoke?: string | undefined;
}

export class Deployments {
  readonly #context: ControlContext;
  readonly #keeper: ReplicaKeeper;
  readonly #running = new Map<string, Running>();
  #isClosed = false;

  constructor(context: ControlContext, keeper: ReplicaKeeper) {
    this.#context = context;
    this.#keeper = keeper;
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
    checkName("organisation", key.organisation);
    checkName("app", key.app);
    if (request.smoke !== undefined) checkSmoke(request.smoke);
    for (const [name, value] of Object.entries({
      ...request.config.environment,
      ...request.secrets,
    })) {
      checkVariable(name, value);
    }
    this.#refuseMixing(key, isEphemeral);
    const { store } = this.#context;
    const bundle = readBundle(request.bundle);
    const contentHash = this.#hash(request, bundle.hash);
    const running = this.#running.get(appName(key));
    if (running?.contentHash === contentHash) return running.feed;
    const same = request.isForced ? undefined : this.#unchanged(key, contentHash);
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
    const revision = this.#record(request, acceptance, content);
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

  #hash(request: DeploymentRequest, bundle: string): string {
    const { secrets = {}, config, inspection } = request;
    const parts = [bundle, request.bundle.script, inspection.target, sorted(config)];
    return createHash("sha256")
      .update(JSON.stringify([...parts, this.#context.store.secrets.fingerprint(secrets)]))
      .digest("hex");
  }

  #unchanged(key: AppKey, contentHash: string): RevisionRecord | undefined {
    const { store } = this.#context;
    const app = store.apps.find(key);
    if (app?.activeRevision === undefined || app.desired === "deleted") return undefined;
    const active = store.revisions.find({ ...key, revision: app.activeRevision });
    return active?.contentHash === contentHash ? active : undefined;
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

  /** Everything of the new revision at once, so that a crash leaves all of it or nothing. */
  #record(
    request: DeploymentRequest,
    { key, isEphemeral, createdBy }: Acceptance,
    content: { bundle: string; contentHash: string },
  ): RevisionRecord {
    const { store, clock } = this.#context;
    return store.database.transaction(() => {
      const known = store.apps.find(key);
      const app =
        known === undefined || known.desired === "deleted"
          ? store.apps.create(key, { isEphemeral })
          : known;
      const number = app.lastNumber + 1;
      const revision = store.revisions.create({
        ...key,
        ...content,
        number,
        script: request.bundle.script,
        target: request.inspection.target,
        config: request.config,
        inspection: withoutValues(request),
        message: request.message,
        annotations: request.annotations ?? {},
        createdBy,
      });
      store.secrets.freeze(revision, request.secrets ?? {});
      store.apps.update(key, {
        lastNumber: number,
        ...(request.resetsScale && { overrides: {} }),
        rollout: {
          revision: revision.revision,
          strategy: request.strategy ?? "rolling",
          isHolding: false,
          smoke: request.smoke,
          since: clock.wallMs(),
        },
      });
      store.events.add({
        ...revision,
        kind: "deploying",
        sentence: `${revision.revision} is being deployed.`,
      });
      return revision;
    });
  }

  #begin(revision: RevisionRecord): EventFeed<DeployEvent> {
    const feed = new EventFeed<DeployEvent>(({ kind }) => kind === "done" || kind === "failed");
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
      this.#giveUp({ ...key, revision }, failure, signal.aborted);
      feed.add({
        kind: "failed",
        code: failure instanceof ProductError ? failure.code : "UNEXPECTED",
        sentence: describeError(failure),
        exitCode: failure instanceof ProductError ? failure.exitCode : 1,
        reason: exit?.reason,
        tail: exit === undefined || exit.tail.length === 0 ? tail : exit.tail,
      });
      this.#context.wake();
    }
  }

  /** What was active stays so; where it had to make room it is started again. */
  #giveUp(key: RevisionKey, failure: unknown, wasAborted: boolean): void {
    const { store } = this.#context;
    const app = store.apps.find(key);
    if (app === undefined) return;
    const sentence = describeError(failure);
    store.database.transaction(() => {
      store.apps.update(app, { rollout: undefined });
      const record = store.revisions.find(key);
      if (record !== undefined && app.activeRevision !== key.revision) {
        const failed = wasAborted ? "ABORTED" : "FAILED";
        // One that had served and does not come up again may still be asked for once more.
        const state = record.activatedAt === undefined ? failed : "SUPERSEDED";
        store.revisions.update(key, { state, reason: sentence });
      }
      const isKept = app.activeRevision !== undefined && app.activeRevision !== key.revision;
      store.events.add({
        ...key,
        kind: isKept ? "rolled_back" : "failed",
        sentence: `${key.revision} is not active: ${sentence}${isKept ? ` ${app.activeRevision} goes on.` : ""}`,
      });
    });
    for (const { replica, purpose } of store.replicas.livingOf(key)) {
      if (purpose === "verifying") this.#keeper.drain(replica, 0);
    }
    if (app.rollout?.isHolding) this.#startAgain(app);
    this.#context.publish();
  }

  #startAgain(app: AppRecord): void {
    const { store } = this.#context;
    if (app.activeRevision === undefined || app.desired !== "active") return;
    const active = store.revisions.find({ ...app, revision: app.activeRevision });
    if (active !== undefined) this.#keeper.order(active, "serving");
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

const keptTail = 40;

function keepTail(tail: string[], text: string): void {
  tail.push(text);
  if (tail.length > keptTail) tail.shift();
}

function doneAlready(result: DeployResult): EventFeed<DeployEvent> {
  const feed = new EventFeed<DeployEvent>(() => true);
  feed.add({ kind: "done", result });
  feed.end();
  return feed;
}

/** The same for the same content, in whatever order a client writes the fields. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

/** The values of variables that were frozen as secrets are not kept readable beside them. */
function withoutValues({ inspection, secrets = {} }: DeploymentRequest) {
  return {
    ...inspection,
    env_read: inspection.env_read.map(({ value, ...rest }) =>
      value === undefined || rest.name in secrets ? rest : { ...rest, value },
    ),
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

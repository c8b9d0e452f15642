// Commands on a split of an app's traffic: set its shares, promote the candidate, abort.
import { ProductError } from "../../base/product-error.ts";
import type { DeployResult, TrafficPlan, TrafficShare } from "../admin/documents.ts";
import { cloudErrors } from "../errors.ts";
import { type AppKey, type AppRecord, appName } from "../state/app-records.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import type { ControlContext } from "./control-context.ts";
import { DeployFeed } from "./feeds.ts";
import type { ReplicaManager } from "./replica-manager.ts";
import type { RunningRollouts } from "./running-rollouts.ts";
import { changeShare, endSplit, nameOfSplit, sharesOf } from "./traffic-split.ts";

/** Time at each share, and requests that a step needs at least, unless they are set. */
const usualStepMs = 600_000;
const usualMinRequests = 20;

/** Adds the defaults. */
export function wholePlan({ percents, stepMs, minRequests }: TrafficPlan) {
  return {
    percents,
    stepMs: stepMs ?? usualStepMs,
    minRequests: minRequests ?? usualMinRequests,
  };
}

export class TrafficCommands {
  readonly #context: ControlContext;
  readonly #manager: ReplicaManager;
  readonly #rollouts: RunningRollouts;

  constructor(context: ControlContext, manager: ReplicaManager, rollouts: RunningRollouts) {
    this.#context = context;
    this.#manager = manager;
    this.#rollouts = rollouts;
  }

  /**
   * Sets the shares of the active revision and another one, whose replicas are started and verified
   * first if it has none.
   *
   * @throws ProductError `CLOUD_REQUEST_INVALID`, `CLOUD_CONFLICT`, `CLOUD_REVISION_UNKNOWN`
   */
  set(key: AppKey, shares: readonly TrafficShare[]): DeployFeed {
    const app = this.#context.store.apps.get(key);
    const { candidate, percent } = this.#readShares(app, shares);
    refuseUnsplittable(app);
    this.#rollouts.refuseBusy(key);
    if (app.traffic?.revision === candidate.revision) {
      changeShare(this.#context, app, { revision: candidate.revision, percent, plan: undefined });
      return this.#finished(candidate, app.activeRevision);
    }
    if (app.traffic !== undefined) throw splitAlready(app);
    return this.#rollouts.rollOut(candidate, { traffic: { percents: [percent] } });
  }

  /**
   * Makes the candidate active, once it has as many replicas as both revisions had.
   *
   * @throws ProductError `CLOUD_CONFLICT`
   */
  promote(key: AppKey): DeployFeed {
    const { store } = this.#context;
    const { traffic } = this.#split(key);
    this.#rollouts.refuseBusy(key);
    return this.#rollouts.rollOut(store.revisions.get({ ...key, revision: traffic.revision }), {});
  }

  /**
   * Returns all traffic to the active revision; cancels a deployment that would split it.
   *
   * @throws ProductError `CLOUD_CONFLICT`
   */
  async abort(key: AppKey, reason = "the split was aborted."): Promise<void> {
    const { store } = this.#context;
    const { rollout, traffic } = store.apps.get(key);
    const isOfSplit = rollout?.traffic !== undefined || rollout?.revision === traffic?.revision;
    if (rollout !== undefined && isOfSplit) {
      await this.#rollouts.abort(key, reason.replace(/[.]$/, ""));
      if (traffic === undefined) return;
    }
    endSplit(this.#context, this.#manager, this.#split(key), reason);
  }

  /** @throws ProductError `CLOUD_REQUEST_INVALID`, `CLOUD_CONFLICT`, `CLOUD_REVISION_UNKNOWN` */
  #readShares(
    app: AppRecord,
    shares: readonly TrafficShare[],
  ): { candidate: RevisionRecord; percent: number } {
    const { store } = this.#context;
    if (shares.length !== 2) {
      throw invalid(
        `Traffic is split between two revisions, not ${shares.length}.`,
        "Name the active revision and another one: r7=90 r8=10.",
      );
    }
    const found = shares.map(({ revision, percent }) => {
      return { record: store.revisions.get({ ...app, revision }), percent };
    });
    const [name, ...others] = new Set(found.map(({ record }) => record.revision));
    if (others.length === 0) {
      throw invalid(`Revision ${name} is named twice.`, "Name two revisions.");
    }
    const sum = found.reduce((total, { percent }) => total + percent, 0);
    if (sum !== 100) throw invalid(`The shares add up to ${sum} %, not 100 %.`);
    const active = found.find(({ record }) => record.revision === app.activeRevision);
    const rest = found.find(({ record }) => record.revision !== app.activeRevision);
    if (active === undefined || rest === undefined) {
      throw new ProductError(cloudErrors.conflict, {
        message: `Neither revision is the active one, ${app.activeRevision ?? "which does not exist"}.`,
        hint: "Name the active revision and another one.",
      });
    }
    if (rest.percent < 1 || rest.percent > 99) {
      throw invalid(
        `A share is 1 to 99 %, not ${rest.percent} %.`,
        `Use \`deployctl traffic ${rest.percent > 99 ? "promote" : "abort"} ${app.app}\` to end the split.`,
      );
    }
    return { candidate: rest.record, percent: rest.percent };
  }

  #split(key: AppKey): AppRecord & { traffic: NonNullable<AppRecord["traffic"]> } {
    const app = this.#context.store.apps.get(key);
    const { traffic } = app;
    if (traffic !== undefined) return { ...app, traffic };
    throw new ProductError(cloudErrors.conflict, {
      message: `The traffic of ${appName(app)} is not split.`,
      hint: `Split it with \`deployctl deploy --traffic 10\` or \`deployctl traffic set ${app.app}\`.`,
    });
  }

  #finished(revision: RevisionRecord, previous: string | undefined): DeployFeed {
    const { store, baseUrl } = this.#context;
    const name = appName(revision);
    const result: DeployResult = {
      app: name,
      revision: revision.revision,
      status: "split",
      url: `${baseUrl()}/${name}`,
      auth: revision.config.auth,
      api: revision.api,
      cold_start_ms: undefined,
      previous,
      traffic: sharesOf(store.apps.get(revision)),
      warnings: [],
    };
    const feed = new DeployFeed();
    feed.add({ kind: "done", result });
    feed.end();
    return feed;
  }
}

/** Refuses a plan whose shares do not grow. @throws ProductError `CLOUD_REQUEST_INVALID` */
export function checkPlan({ percents }: TrafficPlan): void {
  const grows = percents.every((percent, index) => percent > (percents[index - 1] ?? 0));
  if (grows && percents[0] !== 100) return;
  throw invalid(
    `The shares ${percents.join(", ")} do not grow from 1 to 100.`,
    "For example --traffic 10,50,100. A deployment without --traffic gets all traffic.",
  );
}

/** @throws ProductError `CLOUD_CONFLICT` if the app's traffic cannot be split */
export function refuseUnsplittable(app: AppRecord | undefined): void {
  if (app?.activeRevision === undefined || app.desired === "deleted") {
    throw new ProductError(cloudErrors.conflict, {
      message: "There is no active revision to share traffic with.",
      hint: "Deploy the app without --traffic first.",
    });
  }
  if (app.desired === "active") return;
  const isPaused = app.desired === "paused";
  throw new ProductError(cloudErrors.conflict, {
    message: `App ${appName(app)} is ${isPaused ? "paused" : "being deleted"}, so its traffic cannot be split.`,
    ...(isPaused && { hint: `Run \`deployctl apps resume ${app.app}\` first.` }),
  });
}

/** Returns the refusal of a change to another revision while traffic is split. */
export function splitAlready(app: AppRecord, more = ""): ProductError {
  return new ProductError(cloudErrors.conflict, {
    message: nameOfSplit(app),
    hint: `Run \`deployctl traffic promote ${app.app}\` or \`deployctl traffic abort ${app.app}\` first${more}.`,
  });
}

function invalid(message: string, hint?: string): ProductError {
  return new ProductError(cloudErrors.requestInvalid, { message, ...(hint && { hint }) });
}

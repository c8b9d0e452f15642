// New revisions from deployment requests: identified by content, recorded in one transaction.
import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { DeploymentRequest } from "../admin/documents.ts";
import { checkName } from "../app-name.ts";
import type { AppKey } from "../state/app-records.ts";
import type { CloudStore } from "../state/cloud-store.ts";
import type { RevisionRecord } from "../state/revision-records.ts";
import { checkVariable } from "../state/secret-store.ts";
import { failuresUntilFailed } from "./back-off.ts";
import { checkSmoke } from "./smoke-test.ts";
import { checkPlan } from "./traffic-commands.ts";

/** Owner and origin of a deployment. */
export interface Acceptance {
  key: AppKey;
  isEphemeral: boolean;
  createdBy: string | undefined;
}

/** Checks a request without looking at stored state. @throws ProductError */
export function checkDeployment(request: DeploymentRequest, { organisation, app }: AppKey): void {
  checkName("organisation", organisation);
  checkName("app", app);
  if (request.smoke !== undefined) checkSmoke(request.smoke);
  if (request.traffic !== undefined) checkPlan(request.traffic);
  const variables = { ...request.config.environment, ...request.secrets };
  for (const [name, value] of Object.entries(variables)) checkVariable(name, value);
}

export class RevisionIntake {
  readonly #store: CloudStore;
  readonly #clock: Clock;

  constructor(store: CloudStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Hashes everything that defines the revision, with the present values of the secrets and variables
   * that it uses. Messages and annotations do not count.
   */
  hash(request: DeploymentRequest, app: AppKey, bundle: string): string {
    const { config, inspection } = request;
    const parts = [bundle, request.bundle.script, inspection.target, sorted(config)];
    return createHash("sha256")
      .update(
        JSON.stringify([...parts, this.#store.secrets.fingerprint(this.#values(request, app))]),
      )
      .digest("hex");
  }

  /** Returns the values that replicas get beside the configuration. */
  #values({ secrets, config }: DeploymentRequest, app: AppKey): Record<string, string> {
    const store = this.#store.secrets;
    const { secretNames, upstreamAuthorizationSecret } = config;
    const names = [...secretNames, upstreamAuthorizationSecret].filter(
      (name) => name !== undefined,
    );
    const named = names.map((name) => [name, store.secret(app, name) ?? ""]);
    const variables = store.variables(app).map(({ name, value }) => [name, value]);
    return { ...Object.fromEntries([...variables, ...named]), ...secrets };
  }

  /** Returns the active revision if it has the same content and starts. */
  unchanged(key: AppKey, contentHash: string): RevisionRecord | undefined {
    const store = this.#store;
    const app = store.apps.find(key);
    if (app?.activeRevision === undefined || app.desired === "deleted") return undefined;
    const active = store.revisions.find({ ...key, revision: app.activeRevision });
    if (active === undefined || active.failures >= failuresUntilFailed) return undefined;
    return active.contentHash === contentHash ? active : undefined;
  }

  /** Records the revision in one transaction, so that a crash leaves all of it or nothing. */
  record(
    request: DeploymentRequest,
    { key, isEphemeral, createdBy }: Acceptance,
    content: { bundle: string; contentHash: string },
  ): RevisionRecord {
    const store = this.#store;
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
          traffic: request.traffic,
          since: this.#clock.wallMs(),
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
}

/** Sorts keys, so that the order in which a client writes fields does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

/** Drops values that are frozen as secrets, so that they are not stored in plain text. */
function withoutValues({ inspection, secrets = {} }: DeploymentRequest) {
  return {
    ...inspection,
    env_read: inspection.env_read.map(({ value, ...rest }) =>
      value === undefined || rest.name in secrets ? rest : { ...rest, value },
    ),
  };
}

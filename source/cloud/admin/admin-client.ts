// The typed client of the admin API, which the command line and the console use.
import type { LogLine } from "../engines/engine.ts";
import {
  type AdminAddress,
  type AdminRequest,
  askAdmin,
  readDocuments,
  readText,
} from "./admin-transport.ts";
import type {
  AppDetails,
  AppDocument,
  DeployEvent,
  DeploymentRequest,
  DeployStrategy,
  EphemeralEvent,
  EventDocument,
  KeyDocument,
  NewKeyDocument,
  NewKeyRequest,
  ReplicaDocument,
  RevisionDocument,
  ScaleChange,
  SecretDocument,
  ServerStatus,
  StateCheck,
  UsageDocument,
  VariableDocument,
} from "./documents.ts";

/** `local/chat`, or `chat` for the server's own organisation. */
export type AppReference = string;

export interface LogFilter {
  revision?: string | undefined;
  replica?: string | undefined;
  /** Milliseconds since 1970. */
  sinceMs?: number | undefined;
  search?: string | undefined;
  /** The last so many; undefined: all. */
  lines?: number | undefined;
  follow?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

export interface EventFilter {
  app?: AppReference | undefined;
  sinceMs?: number | undefined;
  follow?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

export interface RolloutRequest {
  /** `previous`: the one that was active before it. */
  revision: string;
  strategy?: DeployStrategy | undefined;
  isDetached?: boolean | undefined;
  smoke?: string | undefined;
}

/**
 * Every method throws the control plane's ProductError with its code and exit code, or
 * `CLOUD_SERVER_UNREACHABLE`.
 */
export class AdminClient {
  readonly address: AdminAddress;

  constructor(address: AdminAddress) {
    this.address = address;
  }

  async status(signal?: AbortSignal): Promise<ServerStatus> {
    return await this.#ask({ method: "GET", path: "status", signal });
  }

  /** @param drain lets requests that run end first */
  async stop({
    drain,
    keepReplicas = false,
  }: {
    drain: boolean;
    keepReplicas?: boolean;
  }): Promise<void> {
    await this.#ask({ method: "POST", path: "stop", body: { drain, keepReplicas } });
  }

  async apps(): Promise<AppDocument[]> {
    return await this.#ask({ method: "GET", path: "apps" });
  }

  async app(app: AppReference): Promise<AppDetails> {
    return await this.#ask({ method: "GET", path: appPath(app) });
  }

  /** Drains its replicas; its address answers 410 for a day. */
  async deleteApp(app: AppReference): Promise<void> {
    await this.#ask({ method: "DELETE", path: appPath(app) });
  }

  /** The fields survive deploys until they are reset. */
  async scale(app: AppReference, change: ScaleChange): Promise<AppDocument> {
    return await this.#ask({
      method: "PATCH",
      path: appPath(app, "scale"),
      body: { fields: change },
    });
  }

  /** Back to what the active revision says. */
  async resetScale(app: AppReference): Promise<AppDocument> {
    return await this.#ask({ method: "PATCH", path: appPath(app, "scale"), body: { reset: true } });
  }

  async pause(app: AppReference): Promise<AppDocument> {
    return await this.#ask({ method: "POST", path: appPath(app, "pause") });
  }

  async resume(app: AppReference): Promise<AppDocument> {
    return await this.#ask({ method: "POST", path: appPath(app, "resume") });
  }

  /** Newest first. */
  async revisions(app: AppReference): Promise<RevisionDocument[]> {
    return await this.#ask({ method: "GET", path: appPath(app, "revisions") });
  }

  async deleteRevision(app: AppReference, revision: string): Promise<void> {
    const path = appPath(app, "revisions", encodeURIComponent(revision));
    await this.#ask({ method: "DELETE", path });
  }

  async pinRevision(app: AppReference, revision: string, isPinned: boolean): Promise<void> {
    const path = appPath(app, "revisions", encodeURIComponent(revision), "pin");
    await this.#ask({ method: "PUT", path, body: { isPinned } });
  }

  /** The last event is "done" or "failed". Leaving early does not end the deployment. */
  deploy(request: DeploymentRequest, signal?: AbortSignal): AsyncGenerator<DeployEvent> {
    return this.#stream({ method: "POST", path: "deployments", body: request, signal });
  }

  /** `set-rev` and `rollback`. */
  activate(
    app: AppReference,
    request: RolloutRequest,
    signal?: AbortSignal,
  ): AsyncGenerator<DeployEvent> {
    return this.#stream({ method: "POST", path: appPath(app, "active"), body: request, signal });
  }

  /** New replicas of the same revision take over from those that run. */
  rollout(app: AppReference, signal?: AbortSignal): AsyncGenerator<DeployEvent> {
    return this.#stream({ method: "POST", path: appPath(app, "rollout"), body: {}, signal });
  }

  /** The app lives until the signal aborts or the connection ends. */
  ephemeral(request: DeploymentRequest, signal?: AbortSignal): AsyncGenerator<EphemeralEvent> {
    return this.#stream({ method: "POST", path: "ephemeral", body: request, signal });
  }

  async replicas(app?: AppReference): Promise<ReplicaDocument[]> {
    const path = app === undefined ? "replicas" : appPath(app, "replicas");
    return await this.#ask({ method: "GET", path });
  }

  /** Drains the replica, then ends it. @param replace another one is started first */
  async stopReplica(replica: string, { replace }: { replace: boolean }): Promise<void> {
    const path = `replicas/${encodeURIComponent(replica)}/stop`;
    await this.#ask({ method: "POST", path, body: { replace } });
  }

  /** At once; requests that it answers are cut. */
  async killReplica(replica: string): Promise<void> {
    await this.#ask({ method: "POST", path: `replicas/${encodeURIComponent(replica)}/kill` });
  }

  logs(
    app: AppReference,
    { sinceMs: since, signal, ...filter }: LogFilter,
  ): AsyncGenerator<LogLine> {
    return this.#stream({
      method: "GET",
      path: appPath(app, "logs"),
      query: { ...filter, since },
      signal,
    });
  }

  events({ sinceMs: since, signal, ...filter }: EventFilter): AsyncGenerator<EventDocument> {
    return this.#stream({ method: "GET", path: "events", query: { ...filter, since }, signal });
  }

  async keys(): Promise<KeyDocument[]> {
    return await this.#ask({ method: "GET", path: "keys" });
  }

  async createKey(request: NewKeyRequest): Promise<NewKeyDocument> {
    return await this.#ask({ method: "POST", path: "keys", body: request });
  }

  /** @param hard also cuts the requests that run under it */
  async revokeKey(id: string, { hard = false }: { hard?: boolean } = {}): Promise<KeyDocument> {
    return await this.#ask({
      method: "DELETE",
      path: `keys/${encodeURIComponent(id)}`,
      query: { hard },
    });
  }

  /** @param graceMs the old token works so long */
  async rotateKey(id: string, { graceMs }: { graceMs: number }): Promise<NewKeyDocument> {
    const path = `keys/${encodeURIComponent(id)}/rotate`;
    return await this.#ask({ method: "POST", path, body: { graceMs } });
  }

  async secrets(): Promise<SecretDocument[]> {
    return await this.#ask({ method: "GET", path: "secrets" });
  }

  async setSecret(name: string, value: string): Promise<void> {
    await this.#ask({
      method: "PUT",
      path: `secrets/${encodeURIComponent(name)}`,
      body: { value },
    });
  }

  async deleteSecret(name: string): Promise<void> {
    await this.#ask({ method: "DELETE", path: `secrets/${encodeURIComponent(name)}` });
  }

  async variables(app: AppReference): Promise<VariableDocument[]> {
    return await this.#ask({ method: "GET", path: appPath(app, "env") });
  }

  /** New replicas get them, over those of their revision; `rollout` renews the others. */
  async setVariables(app: AppReference, values: Record<string, string>): Promise<void> {
    await this.#ask({ method: "PUT", path: appPath(app, "env"), body: { values } });
  }

  async deleteVariable(app: AppReference, name: string): Promise<void> {
    await this.#ask({ method: "DELETE", path: appPath(app, "env", encodeURIComponent(name)) });
  }

  async usage(filter: {
    app?: AppReference | undefined;
    sinceMs: number;
  }): Promise<UsageDocument[]> {
    const query = { app: filter.app, since: filter.sinceMs };
    return await this.#ask({ method: "GET", path: "usage", query });
  }

  /** As Prometheus reads them. */
  async metrics(): Promise<string> {
    return await readText(await askAdmin(this.address, { method: "GET", path: "metrics" }));
  }

  async checkState(): Promise<StateCheck> {
    return await this.#ask({ method: "GET", path: "state/check" });
  }

  /** @returns the copy's path on the server */
  async backUpState(): Promise<{ file: string }> {
    return await this.#ask({ method: "POST", path: "state/backup" });
  }

  async #ask<T>(request: AdminRequest): Promise<T> {
    const text = await readText(await askAdmin(this.address, request));
    // The control plane is of the same package; its documents are not read again field by field.
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  async *#stream<T>(request: AdminRequest): AsyncGenerator<T> {
    const { signal } = request;
    const reply = await askAdmin(this.address, request);
    try {
      yield* readDocuments<T>(this.address, reply, signal);
    } finally {
      reply.destroy();
    }
  }
}

function appPath(app: AppReference, ...rest: string[]): string {
  return ["apps", encodeURIComponent(app), ...rest].join("/");
}

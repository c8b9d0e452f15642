// Typed client of the admin API for the command line and the console.
import { text as readText } from "node:stream/consumers";
import type { LogLine } from "../engines/engine.ts";
import {
  type AdminAddress,
  type AdminRequest,
  askAdmin,
  readDocuments,
} from "./admin-transport.ts";
import type {
  AppDetails,
  AppDocument,
  DeployEvent,
  DeploymentRequest,
  EphemeralEvent,
  EventDocument,
  KeyDocument,
  NewKeyDocument,
  NewKeyRequest,
  ReplicaDocument,
  RevisionDocument,
  RolloutRequest,
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
  /** Maximum number of lines, counted from the end; undefined: all. */
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

  /** @param drain lets running requests finish first */
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

  /** Drains the app's replicas; its address answers 410 for a day. */
  async deleteApp(app: AppReference): Promise<void> {
    await this.#ask({ method: "DELETE", path: appPath(app) });
  }

  /** Overrides fields of the scale; overrides survive deployments until they are reset. */
  async scale(app: AppReference, change: ScaleChange): Promise<AppDocument> {
    return await this.#ask({
      method: "PATCH",
      path: appPath(app, "scale"),
      body: { fields: change },
    });
  }

  /** Returns to the scale of the active revision. */
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

  /**
   * Streams a deployment; the last event is "done" or "failed". Disconnecting does not cancel it.
   */
  deploy(request: DeploymentRequest, signal?: AbortSignal): AsyncGenerator<DeployEvent> {
    return this.#stream({ method: "POST", path: "deployments", body: request, signal });
  }

  /** Serves `set-rev` and `rollback`. */
  activate(
    app: AppReference,
    request: RolloutRequest,
    signal?: AbortSignal,
  ): AsyncGenerator<DeployEvent> {
    return this.#stream({ method: "POST", path: appPath(app, "active"), body: request, signal });
  }

  /** Replaces running replicas with new ones of the same revision. */
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

  /** Drains the replica, then stops it. @param replace starts a replacement first */
  async stopReplica(replica: string, { replace }: { replace: boolean }): Promise<void> {
    const path = `replicas/${encodeURIComponent(replica)}/stop`;
    await this.#ask({ method: "POST", path, body: { replace } });
  }

  /** Kills the replica at once, cutting its running requests. */
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

  /** @param hard also aborts requests that run under the key */
  async revokeKey(id: string, { hard = false }: { hard?: boolean } = {}): Promise<KeyDocument> {
    return await this.#ask({
      method: "DELETE",
      path: `keys/${encodeURIComponent(id)}`,
      query: { hard },
    });
  }

  /** @param graceMs time for which the old token stays valid */
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

  /**
   * Sets variables of new replicas, on top of those of the revision; `rollout` replaces older
   * replicas.
   */
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

  /** Returns metrics in Prometheus text format. */
  async metrics(): Promise<string> {
    return await readText(await askAdmin(this.address, { method: "GET", path: "metrics" }));
  }

  async checkState(): Promise<StateCheck> {
    return await this.#ask({ method: "GET", path: "state/check" });
  }

  /** @returns path of the copy on the server */
  async backUpState(): Promise<{ file: string }> {
    return await this.#ask({ method: "POST", path: "state/backup" });
  }

  async #ask<T>(request: AdminRequest): Promise<T> {
    const text = await readText(await askAdmin(this.address, request));
    // Both ends ship in one package, so documents are not validated field by field.
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

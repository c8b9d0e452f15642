// Typed client of the admin API for the command line and the console.
import type { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import type { LogLine, LogQuery, TerminalSize } from "../engines/engine.ts";
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
  EnvironmentDocument,
  EphemeralEvent,
  EventDocument,
  KeyDocument,
  NewEnvironmentRequest,
  NewKeyDocument,
  NewKeyRequest,
  PromoteRequest,
  QueuedRequestDocument,
  ReplicaDocument,
  RevisionDocument,
  RolloutRequest,
  ScaleChange,
  SecretDocument,
  ServerStatus,
  ShellEvent,
  StateCheck,
  TrafficShare,
  UsageDocument,
  VariableDocument,
} from "./documents.ts";

/** `local/chat`, or `chat` for the server's own organisation. */
export type AppReference = string;

export interface LogFilter extends Omit<LogQuery, "organisation" | "app" | "after" | "follow"> {
  follow?: boolean | undefined;
}

export interface EventFilter {
  app?: AppReference | undefined;
  sinceMs?: number | undefined;
  follow?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

type Details = Omit<AdminRequest, "method" | "path">;

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
    return await this.#ask("GET", "status", { signal });
  }

  /** @param drain lets running requests finish first */
  async stop({
    drain,
    keepReplicas = false,
  }: {
    drain: boolean;
    keepReplicas?: boolean;
  }): Promise<void> {
    await this.#ask("POST", "stop", { body: { drain, keepReplicas } });
  }

  async apps(): Promise<AppDocument[]> {
    return await this.#ask("GET", "apps");
  }

  async app(app: AppReference): Promise<AppDetails> {
    return await this.#ask("GET", at("apps", app));
  }

  /** Drains the app's replicas; its address answers 410 for a day. */
  async deleteApp(app: AppReference): Promise<void> {
    await this.#ask("DELETE", at("apps", app));
  }

  /** Overrides fields of the scale; overrides survive deployments until they are reset. */
  async scale(app: AppReference, change: ScaleChange): Promise<AppDocument> {
    return await this.#ask("PATCH", at("apps", app, "scale"), { body: { fields: change } });
  }

  /** Returns to the scale of the active revision. */
  async resetScale(app: AppReference): Promise<AppDocument> {
    return await this.#ask("PATCH", at("apps", app, "scale"), { body: { reset: true } });
  }

  async pause(app: AppReference): Promise<AppDocument> {
    return await this.#ask("POST", at("apps", app, "pause"));
  }

  async resume(app: AppReference): Promise<AppDocument> {
    return await this.#ask("POST", at("apps", app, "resume"));
  }

  /** Newest first. */
  async revisions(app: AppReference): Promise<RevisionDocument[]> {
    return await this.#ask("GET", at("apps", app, "revisions"));
  }

  async deleteRevision(app: AppReference, revision: string): Promise<void> {
    await this.#ask("DELETE", at("apps", app, "revisions", revision));
  }

  async pinRevision(app: AppReference, revision: string, isPinned: boolean): Promise<void> {
    await this.#ask("PUT", at("apps", app, "revisions", revision, "pin"), { body: { isPinned } });
  }

  /**
   * Streams a deployment; the last event is "done" or "failed". Disconnecting does not cancel it.
   */
  deploy(request: DeploymentRequest, signal?: AbortSignal): AsyncGenerator<DeployEvent> {
    return this.#stream("POST", "deployments", { body: request, signal });
  }

  /** Serves `set-rev` and `rollback`. */
  activate(
    app: AppReference,
    request: RolloutRequest,
    signal?: AbortSignal,
  ): AsyncGenerator<DeployEvent> {
    return this.#stream("POST", at("apps", app, "active"), { body: request, signal });
  }

  /** Replaces running replicas with new ones of the same revision. */
  rollout(app: AppReference, signal?: AbortSignal): AsyncGenerator<DeployEvent> {
    return this.#stream("POST", at("apps", app, "rollout"), { body: {}, signal });
  }

  /** Splits an app's traffic between its active revision and another one. */
  setTraffic(
    app: AppReference,
    shares: readonly TrafficShare[],
    signal?: AbortSignal,
  ): AsyncGenerator<DeployEvent> {
    return this.#stream("PUT", at("apps", app, "traffic"), { body: { shares }, signal });
  }

  /** Makes the second revision of a split active. */
  promoteTraffic(app: AppReference, signal?: AbortSignal): AsyncGenerator<DeployEvent> {
    return this.#stream("POST", at("apps", app, "traffic", "promote"), { body: {}, signal });
  }

  /** Returns all traffic to the active revision. */
  async abortTraffic(app: AppReference): Promise<AppDetails> {
    return await this.#ask("DELETE", at("apps", app, "traffic"));
  }

  /** The app lives until the signal aborts or the connection ends. */
  ephemeral(request: DeploymentRequest, signal?: AbortSignal): AsyncGenerator<EphemeralEvent> {
    return this.#stream("POST", "ephemeral", { body: request, signal });
  }

  async replicas(app?: AppReference): Promise<ReplicaDocument[]> {
    return await this.#ask("GET", app === undefined ? "replicas" : at("apps", app, "replicas"));
  }

  /** Drains the replica, then stops it. @param replace starts a replacement first */
  async stopReplica(replica: string, { replace }: { replace: boolean }): Promise<void> {
    await this.#ask("POST", at("replicas", replica, "stop"), { body: { replace } });
  }

  /** Kills the replica at once, cutting its running requests. */
  async killReplica(replica: string): Promise<void> {
    await this.#ask("POST", at("replicas", replica, "kill"));
  }

  /**
   * Opens a shell on the replica's machine.
   *
   * @param input lines of ShellInput; its end hangs up
   */
  shell(
    replica: string,
    terminal: TerminalSize & { type: string },
    { input, signal }: { input: Readable; signal?: AbortSignal },
  ): AsyncGenerator<ShellEvent> {
    const query = { ...terminal };
    return this.#stream("POST", at("replicas", replica, "shell"), { query, upload: input, signal });
  }

  /**
   * Connects to a port of the replica's machine.
   *
   * @param upload sent there as it arrives
   * @returns its reply
   */
  async forward(replica: string, port: number, upload: Readable): Promise<Readable> {
    const path = at("replicas", replica, "forward");
    return await askAdmin(this.address, { method: "POST", path, query: { port }, upload });
  }

  logs(
    app: AppReference,
    { sinceMs: since, signal, ...filter }: LogFilter,
  ): AsyncGenerator<LogLine> {
    return this.#stream("GET", at("apps", app, "logs"), { query: { ...filter, since }, signal });
  }

  events({ sinceMs: since, signal, ...filter }: EventFilter): AsyncGenerator<EventDocument> {
    return this.#stream("GET", "events", { query: { ...filter, since }, signal });
  }

  async keys(): Promise<KeyDocument[]> {
    return await this.#ask("GET", "keys");
  }

  async createKey(request: NewKeyRequest): Promise<NewKeyDocument> {
    return await this.#ask("POST", "keys", { body: request });
  }

  /** @param hard also aborts requests that run under the key */
  async revokeKey(id: string, { hard = false }: { hard?: boolean } = {}): Promise<KeyDocument> {
    return await this.#ask("DELETE", at("keys", id), { query: { hard } });
  }

  /** @param graceMs time for which the old token stays valid */
  async rotateKey(id: string, { graceMs }: { graceMs: number }): Promise<NewKeyDocument> {
    return await this.#ask("POST", at("keys", id, "rotate"), { body: { graceMs } });
  }

  /** @param environment defaults to `main`, as for all methods on secrets */
  async secrets(environment?: string): Promise<SecretDocument[]> {
    return await this.#ask("GET", "secrets", { query: { environment } });
  }

  async setSecret(name: string, value: string, environment?: string): Promise<void> {
    await this.#ask("PUT", at("secrets", name), { query: { environment }, body: { value } });
  }

  async deleteSecret(name: string, environment?: string): Promise<void> {
    await this.#ask("DELETE", at("secrets", name), { query: { environment } });
  }

  /** `main` first. */
  async environments(): Promise<EnvironmentDocument[]> {
    return await this.#ask("GET", "environments");
  }

  async createEnvironment(request: NewEnvironmentRequest): Promise<EnvironmentDocument> {
    return await this.#ask("POST", "environments", { body: request });
  }

  async deleteEnvironment(name: string): Promise<void> {
    await this.#ask("DELETE", at("environments", name));
  }

  /** Deploys the app's active revision to another environment. */
  promote(
    app: AppReference,
    request: PromoteRequest,
    signal?: AbortSignal,
  ): AsyncGenerator<DeployEvent> {
    return this.#stream("POST", at("apps", app, "promote"), { body: request, signal });
  }

  async variables(app: AppReference): Promise<VariableDocument[]> {
    return await this.#ask("GET", at("apps", app, "env"));
  }

  /**
   * Sets variables of new replicas, on top of those of the revision; `rollout` replaces older
   * replicas.
   */
  async setVariables(app: AppReference, values: Record<string, string>): Promise<void> {
    await this.#ask("PUT", at("apps", app, "env"), { body: { values } });
  }

  async deleteVariable(app: AppReference, name: string): Promise<void> {
    await this.#ask("DELETE", at("apps", app, "env", name));
  }

  async usage(filter: {
    app?: AppReference | undefined;
    sinceMs: number;
  }): Promise<UsageDocument[]> {
    return await this.#ask("GET", "usage", { query: { app: filter.app, since: filter.sinceMs } });
  }

  /** Newest first. @param filter.lines their number */
  async queuedRequests(filter: {
    app?: AppReference | undefined;
    lines?: number | undefined;
  }): Promise<QueuedRequestDocument[]> {
    return await this.#ask("GET", "queue", { query: filter });
  }

  async queuedRequest(id: string): Promise<QueuedRequestDocument> {
    return await this.#ask("GET", at("queue", id));
  }

  async cancelQueued(id: string): Promise<QueuedRequestDocument> {
    return await this.#ask("POST", at("queue", id, "cancel"));
  }

  /** Cancels an app's queued requests and deletes its results. */
  async purgeQueue(app: AppReference): Promise<{ cancelled: number; deleted: number }> {
    return await this.#ask("DELETE", at("apps", app, "queue"));
  }

  /** Returns metrics in Prometheus text format. */
  async metrics(): Promise<string> {
    return await readText(await askAdmin(this.address, { method: "GET", path: "metrics" }));
  }

  async checkState(): Promise<StateCheck> {
    return await this.#ask("GET", "state/check");
  }

  /** @returns path of the copy on the server */
  async backUpState(): Promise<{ file: string }> {
    return await this.#ask("POST", "state/backup");
  }

  async #ask<T>(method: AdminRequest["method"], path: string, more: Details = {}): Promise<T> {
    const text = await readText(await askAdmin(this.address, { method, path, ...more }));
    // Both ends ship in one package, so documents are not validated field by field.
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  async *#stream<T>(
    method: AdminRequest["method"],
    path: string,
    details: Details,
  ): AsyncGenerator<T> {
    const reply = await askAdmin(this.address, { method, path, ...details });
    try {
      yield* readDocuments<T>(this.address, reply, details.signal);
    } finally {
      reply.destroy();
    }
  }
}

/** Joins the parts of a path, of which any may be a name. */
function at(...parts: string[]): string {
  return parts.map(encodeURIComponent).join("/");
}

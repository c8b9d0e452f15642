// Sample control plane for states that a real one cannot be brought to, such as silence, 200 deployments
// and a flood of log lines.

import { AsyncQueue } from "../../../../source/base/async-queue.ts";
import { ProductError } from "../../../../source/base/product-error.ts";
import { ScreenDrafts } from "../../../../source/cli/cloud/screen-drafts.ts";
import type {
  AppDocument,
  DeployEvent,
  EnvironmentDocument,
  EventDocument,
  KeyDocument,
  LogDocument,
  NewKeyDocument,
  NewKeyRequest,
  ReplicaDocument,
  RevisionDocument,
  ScaleChange,
  TrafficDocument,
  UsageDocument,
} from "../../../../source/cloud/admin/documents.ts";
import {
  type AppConfig,
  defaultLimits,
  defaultScale,
} from "../../../../source/cloud/app-config.ts";
import { cloudErrors } from "../../../../source/cloud/errors.ts";
import type {
  ChatApp,
  CloudAccess,
  CloudClient,
  CloudServer,
} from "../../../../source/ui/app/cloud-access.ts";
import { ScriptedBackend } from "../../support/scripted-backend.ts";

/** One time for every sample, since documents are sorted by time. */
const sampledAt = Date.now();

export function sampleApp(change: Partial<AppDocument> = {}): AppDocument {
  const app = change.app ?? "tiny";
  return {
    organisation: "local",
    app,
    url: `http://127.0.0.1:8480/local/${app}`,
    auth: "private",
    state: "READY",
    reason: undefined,
    activeRevision: "r0002-1a2b3c4d",
    api: { kind: "openai", model: "tiny" },
    scale: { ...defaultScale, maxConcurrency: 2, maxMultiplexing: 4 },
    overrides: [],
    isEphemeral: false,
    replicas: { wanted: 1, alive: 1, ready: 1 },
    inFlight: 0,
    queued: 0,
    createdAt: sampledAt - 7_200_000,
    updatedAt: sampledAt,
    ...change,
  };
}

export function sampleReplica(change: Partial<ReplicaDocument> = {}): ReplicaDocument {
  return {
    organisation: "local",
    app: "tiny",
    revision: "r0002-1a2b3c4d",
    replica: "aaaabbbb",
    state: "IDLE",
    inFlight: 0,
    endpoint: "http://127.0.0.1:20000",
    processId: 4711,
    progress: undefined,
    gpus: [],
    startedAt: sampledAt - 60_000,
    readyAt: sampledAt - 58_000,
    expiresAt: undefined,
    exit: undefined,
    coldStartMs: 2000,
    ...change,
  };
}

export function sampleKey(change: Partial<KeyDocument> = {}): KeyDocument {
  return {
    id: "aaaabbbbcccc",
    organisation: "local",
    scope: "api",
    apps: [],
    description: "ci",
    state: "active",
    requestsPerMinute: undefined,
    createdAt: sampledAt - 3_600_000,
    expiresAt: undefined,
    lastUsedAt: undefined,
    revokedAt: undefined,
    ...change,
  };
}

export function sampleEnvironment(change: Partial<EnvironmentDocument> = {}): EnvironmentDocument {
  return {
    organisation: "local",
    name: "main",
    description: undefined,
    createdAt: undefined,
    apps: 1,
    ...change,
  };
}

export function sampleLine(change: Partial<LogDocument> = {}): LogDocument {
  return {
    ts: 1_700_000_000_000,
    organisation: "local",
    app: "tiny",
    revision: "r0002-1a2b3c4d",
    replica: "aaaabbbb",
    stream: "stdout",
    seq: 1,
    text: "POST /v1/chat/completions 200",
    ...change,
  };
}

/** Traffic split between r0002 and r0003. */
export function sampleTraffic(): TrafficDocument {
  const counts = { clientErrors: 0, ttfbMsP50: 10, ttfbMsP95: 40, inFlight: 0, reason: undefined };
  const replicas = { alive: 1, ready: 1 };
  return {
    since: sampledAt - 60_000,
    revisions: [
      { ...counts, replicas, revision: "r0002-1a2b3c4d", percent: 90, requests: 36, errors: 0 },
      { ...counts, replicas, revision: "r0003-5e6f7a8b", percent: 10, requests: 4, errors: 2 },
    ],
    steps: { percents: [10, 50, 100], stepMs: 600_000, minRequests: 20 },
  };
}

export function sampleUsage(change: Partial<UsageDocument> = {}): UsageDocument {
  return {
    organisation: "local",
    app: "tiny",
    requests: 0,
    errors: 0,
    clientErrors: 0,
    ttfbMsP50: undefined,
    ttfbMsP95: undefined,
    revisions: [],
    queued: 0,
    inputTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    gpuSeconds: { busy: 0, idle: 0, starting: 0 },
    cost: undefined,
    ...change,
  };
}

export function sampleRevision(change: Partial<RevisionDocument> = {}): RevisionDocument {
  const config: AppConfig = {
    kind: "function",
    exposedPort: 8000,
    healthPath: "/health",
    auth: "private",
    scale: defaultScale,
    limits: defaultLimits,
    hardware: { machineType: undefined, gpuCount: 0 },
    requirements: [],
    environment: {},
    secretNames: [],
    executables: [],
    coldStart: "wait",
    noWakePaths: [],
    portRewrite: "auto",
    upstreamAuthorizationSecret: undefined,
  };
  return {
    organisation: "local",
    app: "tiny",
    revision: "r0002-1a2b3c4d",
    state: "ACTIVE",
    reason: undefined,
    config,
    bundle: "aaaa",
    secrets: [],
    message: undefined,
    annotations: {},
    createdBy: undefined,
    createdAt: sampledAt - 60_000,
    isPinned: false,
    ...change,
  };
}

export class SampleServer implements CloudServer, CloudClient {
  readonly target = {
    profile: "local",
    isCurrent: true,
    isLocal: true,
    place: "this machine",
    organisation: undefined,
  };
  readonly backend = new ScriptedBackend();
  /** Commands in the order of their calls. */
  readonly calls: string[] = [];
  isGone = false;
  appList: AppDocument[] = [sampleApp()];
  replicaList: ReplicaDocument[] = [sampleReplica()];
  keyList: KeyDocument[] = [sampleKey()];
  usageList: UsageDocument[] = [];
  revisionList: RevisionDocument[] = [sampleRevision()];
  eventList: EventDocument[] = [];
  environmentList: EnvironmentDocument[] = [sampleEnvironment()];
  activation: DeployEvent[] = [];
  readonly #lines = new Set<AsyncQueue<LogDocument>>();

  get client(): this {
    return this;
  }

  /** Lines for followers. */
  write(...lines: LogDocument[]): void {
    for (const queue of this.#lines) for (const line of lines) queue.push(line);
  }

  get followers(): number {
    return this.#lines.size;
  }

  status = async () =>
    await this.#answer({
      version: "1.0.0",
      processId: 1,
      startedAt: 0,
      baseUrl: "http://127.0.0.1:8480",
      organisation: "local",
      engine: "process" as const,
      gateway: "http://127.0.0.1:8480",
      apps: 1,
      replicas: 1,
      isReady: true,
    });

  async start() {
    this.isGone = false;
    this.calls.push("start");
    return await this.status();
  }

  capacity = async () => undefined;
  apps = async () => await this.#answer(this.appList);
  app = async (name: string) =>
    await this.#answer({
      ...this.#found(name),
      revision: this.revisionList[0],
      rollout: undefined,
    });
  revisions = async () => await this.#answer(this.revisionList);
  replicas = async () => await this.#answer(this.replicaList);
  usage = async () => await this.#answer(this.usageList);
  keys = async () => await this.#answer(this.keyList);
  secrets = async () => await this.#answer([]);
  environments = async () => await this.#answer(this.environmentList);
  variables = async () => await this.#answer([]);

  async *events(): AsyncGenerator<EventDocument> {
    yield* await this.#answer(this.eventList);
  }

  async *logs(_app: string, { signal }: { signal?: AbortSignal }): AsyncGenerator<LogDocument> {
    await this.#answer(undefined);
    const queue = new AsyncQueue<LogDocument>();
    this.#lines.add(queue);
    signal?.addEventListener("abort", () => queue.end());
    try {
      yield* queue;
    } finally {
      this.#lines.delete(queue);
    }
  }

  async scale(app: string, change: ScaleChange) {
    this.calls.push(`scale ${app} ${JSON.stringify(change)}`);
    const found = this.#found(app);
    return await this.#answer({ ...found, scale: { ...found.scale, ...change } });
  }

  async resetScale(app: string) {
    this.calls.push(`reset ${app}`);
    return await this.#answer(this.#found(app));
  }

  async pause(app: string) {
    this.calls.push(`pause ${app}`);
    return await this.#set(app, { state: "PAUSED" });
  }

  async resume(app: string) {
    this.calls.push(`resume ${app}`);
    return await this.#set(app, { state: "READY" });
  }

  async deleteApp(app: string) {
    this.calls.push(`delete ${app}`);
    this.appList = this.appList.filter(({ app: other }) => app !== `local/${other}`);
    await this.#answer(undefined);
  }

  async *activate(app: string, { revision }: { revision: string }): AsyncGenerator<DeployEvent> {
    this.calls.push(`activate ${app} ${revision}`);
    yield* await this.#answer(this.activation);
  }

  async abortTraffic(app: string) {
    this.calls.push(`abort the split of ${app}`);
    await this.#set(app, { traffic: undefined });
    return await this.app(app);
  }

  async stopReplica(replica: string, { replace }: { replace: boolean }) {
    this.calls.push(`stop ${replica}${replace ? " and replace it" : ""}`);
    await this.#answer(undefined);
  }

  async *deploy(): AsyncGenerator<DeployEvent> {}
  async *run(): AsyncGenerator<never> {}

  async createKey({ scope, apps, description }: NewKeyRequest): Promise<NewKeyDocument> {
    this.calls.push(`key ${scope} ${apps?.join() ?? "all"} ${description ?? ""}`);
    const key = sampleKey({ id: "ddddeeeeffff", description, apps: apps ?? [], scope });
    this.keyList = [...this.keyList, key];
    return await this.#answer({ key, token: `dk_${"t".repeat(61)}` });
  }

  async rotateKey(id: string, { graceMs }: { graceMs: number }): Promise<NewKeyDocument> {
    this.calls.push(`rotate ${id} ${graceMs}`);
    return await this.#answer({ key: sampleKey({ id: "gggghhhhiiii" }), token: "dk_rotated" });
  }

  async revokeKey(id: string, { hard }: { hard: boolean }) {
    this.calls.push(`revoke ${id}${hard ? " hard" : ""}`);
    return await this.#answer(sampleKey({ id, state: "revoked" }));
  }

  openChat = ({ app, url }: ChatApp) => {
    const reach = async () => await this.#answer(undefined);
    return Object.assign(this.backend, { deployment: { profile: "local", app, url }, reach });
  };
  testApp = async () => await this.#answer([]);
  callLines: CloudServer["callLines"] = () => ["curl http://127.0.0.1:8480/local/tiny/v1/models"];

  async #answer<T>(value: T): Promise<T> {
    if (!this.isGone) return value;
    throw new ProductError(cloudErrors.serverUnreachable, {
      message: "The control plane at /run/admin.sock does not respond (ECONNREFUSED).",
    });
  }

  #found(name: string): AppDocument {
    const found = this.appList.find(({ app }) => name === app || name === `local/${app}`);
    if (found === undefined) {
      throw new ProductError(cloudErrors.appUnknown, { message: `App ${name} does not exist.` });
    }
    return found;
  }

  async #set(name: string, change: Partial<AppDocument>): Promise<AppDocument> {
    const changed = { ...this.#found(name), ...change };
    this.appList = this.appList.map((app) => (app.app === changed.app ? changed : app));
    return await this.#answer(changed);
  }
}

export function sampleCloud(server: SampleServer): CloudAccess {
  const notAsked = () => {
    throw new Error("the console asks nothing of scripts");
  };
  return {
    targets: async () => [server.target],
    server: () => server,
    localModels: async () => [],
    drafts: new ScreenDrafts("/nonexistent"),
    scripts: {
      find: notAsked,
      targets: notAsked,
      inspect: notAsked,
      config: notAsked,
      generate: notAsked,
      write: notAsked,
      prepare: notAsked,
      preflight: notAsked,
      nameFault: notAsked,
      nameIn: notAsked,
      environmentOf: notAsked,
      suggestName: notAsked,
      looksSecret: notAsked,
      previewScale: notAsked,
    },
  };
}

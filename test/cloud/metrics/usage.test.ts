// Records of requests: access log, Prometheus metrics, hourly usage, and cost.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ExchangeRecord } from "../../../source/cloud/gateway/exchange-record.ts";
import { AccessLog } from "../../../source/cloud/metrics/access-log.ts";
import { CloudMetrics } from "../../../source/cloud/metrics/cloud-metrics.ts";
import { costOf, firstByteMsAt } from "../../../source/cloud/metrics/usage-figures.ts";
import { UsageStore } from "../../../source/cloud/metrics/usage-store.ts";
import { StateDatabase, stateFile } from "../../../source/cloud/state/database.ts";

const hourMs = 3_600_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-usage-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function recordOf(changes: Partial<ExchangeRecord> = {}): ExchangeRecord {
  return {
    id: "req_1",
    startedAt: Date.UTC(2026, 0, 1),
    organisation: "acme",
    app: "chat",
    revision: "r0001-00000000",
    replica: "replica-1",
    keyId: "aaaabbbbcccc",
    address: "127.0.0.1",
    method: "POST",
    path: "/v1/chat/completions",
    status: 200,
    errorType: undefined,
    isColdStart: false,
    queueMs: 1.26,
    firstByteMs: 20,
    totalMs: 100,
    receivedBytes: 10,
    sentBytes: 200,
    tokens: { prompt: 5, completion: 7, cached: 2 },
    ...changes,
  };
}

const lines = (file: string) =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("the access log has a line for each request, and rotates its files", async () => {
  const file = path.join(folder, "logs", "access.log");
  const log: string[] = [];
  const accessLog = new AccessLog({
    ...{ file, fileBytes: 600, keptFiles: 2 },
    log: (text) => log.push(text),
  });
  accessLog.write(recordOf({ isQueued: true }));
  await accessLog.flush();
  expect(lines(file)).toEqual([
    {
      time: "2026-01-01T00:00:00.000Z",
      request_id: "req_1",
      organisation: "acme",
      app: "chat",
      revision: "r0001-00000000",
      replica: "replica-1",
      key_id: "aaaabbbbcccc",
      address: "127.0.0.1",
      method: "POST",
      path: "/v1/chat/completions",
      status: 200,
      queued: true,
      queue_ms: 1.3,
      ttfb_ms: 20,
      total_ms: 100,
      bytes_in: 10,
      bytes_out: 200,
      prompt_tokens: 5,
      completion_tokens: 7,
    },
  ]);
  for (let count = 2; count <= 10; count += 1) {
    accessLog.write(recordOf({ id: `req_${count}` }));
    await accessLog.flush();
  }
  expect(readdirSync(path.dirname(file)).sort()).toEqual([
    "access.log",
    "access.log.1",
    "access.log.2",
  ]);
  expect(lines(file).at(-1).request_id).toBe("req_10");
  expect(log).toEqual([]);
});

test("a failing access log is reported once, and again after it recovered", async () => {
  const file = path.join(folder, "access.log");
  mkdirSync(file);
  const log: string[] = [];
  const accessLog = new AccessLog({ file, log: (text) => log.push(text) });
  for (let round = 0; round < 3; round += 1) {
    accessLog.write(recordOf());
    await accessLog.flush();
  }
  expect(log).toEqual([expect.stringContaining("cannot write the access log")]);
  rmSync(file, { recursive: true });
  accessLog.write(recordOf());
  await accessLog.flush();
  expect(log.length).toBe(2);
  expect(lines(file).length).toBe(1);
});

test("Prometheus reads requests, times, tokens, replicas and GPUs", async () => {
  let replicas = { IDLE: 1, SETUP: 2 } as Record<string, number>;
  const metrics = new CloudMetrics(() => [
    {
      organisation: "acme",
      app: "chat",
      demand: { busy: 3, queued: 4, oldestQueuedMs: 0 },
      replicas,
    },
  ]);
  metrics.observe(recordOf());
  metrics.observe(recordOf({ status: 503, errorType: "queue_full", revision: undefined }));
  metrics.observe(
    recordOf({
      organisation: undefined,
      app: undefined,
      revision: undefined,
      status: 404,
      errorType: "not_found",
    }),
  );
  metrics.noteColdStart({ organisation: "acme", app: "chat", phasesMs: { setup: 1500 } });
  metrics.addReplicaTime("acme", "chat", { kind: "busy", ms: 2000, gpus: ["H100", "H100"] });
  const text = await metrics.scrape();
  const app = 'org="acme",app="chat"';
  expect(text.split("\n")).toEqual(
    expect.arrayContaining([
      `deployctl_requests_total{${app},status="200",error_type=""} 1`,
      `deployctl_requests_total{${app},status="503",error_type="queue_full"} 1`,
      'deployctl_requests_total{org="",app="",status="404",error_type="not_found"} 1',
      `deployctl_duration_seconds_count{${app}} 1`,
      `deployctl_tokens_total{${app},kind="completion"} 7`,
      `deployctl_inflight{${app}} 3`,
      `deployctl_queued{${app}} 4`,
      `deployctl_replicas{${app},state="SETUP"} 2`,
      `deployctl_cold_starts_total{${app}} 1`,
      `deployctl_cold_start_seconds_sum{${app},phase="setup"} 1.5`,
      `deployctl_gpu_seconds_total{${app},state="busy"} 4`,
    ]),
  );
  replicas = { IDLE: 1 };
  expect(await metrics.scrape()).not.toContain('state="SETUP"');
});

test("usage is summed by the hour, across restarts, with GPU costs", () => {
  let time = 1000 * hourMs + 1;
  const clock = { now: () => time, wallMs: () => time };
  const log: string[] = [];
  const options = {
    log: (text: string) => void log.push(text),
    findApp: () => ({ isEphemeral: false }),
  };
  const open = () => {
    const database = StateDatabase.open(stateFile(folder));
    return { database, usage: new UsageStore(database, { ...options, clock }) };
  };
  let { database, usage } = open();
  for (let ms = 1; ms <= 100; ms += 1) usage.addRequest(recordOf({ firstByteMs: ms }));
  usage.addRequest(recordOf({ status: 503, errorType: "runner_disconnected", tokens: undefined }));
  usage.addRequest(recordOf({ errorType: "runner_error", tokens: undefined }));
  usage.addRequest(recordOf({ status: 401, errorType: "auth_missing" }));
  usage.addRequest(recordOf({ status: 404, tokens: undefined, firstByteMs: undefined }));
  usage.addRequest(
    recordOf({
      status: 499,
      errorType: "client_disconnected",
      tokens: undefined,
      firstByteMs: undefined,
    }),
  );
  usage.addRequest(recordOf({ isQueued: true, tokens: undefined, firstByteMs: undefined }));
  usage.addRequest(recordOf({ organisation: undefined, app: undefined }));
  usage.addRequest(recordOf({ app: "other" }));
  usage.close();
  database.close();
  ({ database, usage } = open());
  time += hourMs;
  const gpus = ["NVIDIA H100 80GB HBM3"];
  usage.addReplicaTime("acme", "chat", { kind: "busy", ms: hourMs, gpus });
  usage.addReplicaTime("acme", "chat", { kind: "idle", ms: 3 * hourMs, gpus });
  const [chat, other] = usage.read(0);
  expect(chat?.figures).toMatchObject({
    requests: 105,
    queued: 1,
    errors: 2,
    clientErrors: 1,
    promptTokens: 500,
    completionTokens: 700,
    cachedTokens: 200,
    replicaMs: { busy: hourMs, idle: 3 * hourMs },
  });
  expect(other?.figures.requests).toBe(1);
  if (chat === undefined) throw new Error("there is no usage");
  const half = firstByteMsAt(chat.figures, 0.5) ?? 0;
  expect(half).toBeGreaterThanOrEqual(50);
  expect(half).toBeLessThan(50 * 1.25);
  expect(costOf(chat.figures, { H100: 2, "*": 100 })).toBe(8);
  expect(costOf(chat.figures, {})).toBe(0);
  // Only later usage of one app.
  expect(usage.read(time, { app: "chat" })).toMatchObject([{ figures: { requests: 0 } }]);
  expect(usage.read(0, { organisation: "nobody" })).toEqual([]);
  expect(firstByteMsAt(usage.read(time)[0]?.figures ?? chat.figures, 0.5)).toBeUndefined();
  usage.close();
  database.close();
  expect(log).toEqual([]);
});

test("usage of a run is shown while it lives, and never stored", () => {
  const apps = new Map([
    ["chat", { isEphemeral: true }],
    ["lasting", { isEphemeral: false }],
  ]);
  const database = StateDatabase.open(stateFile(folder));
  const options = { log: () => {}, findApp: ({ app }: { app: string }) => apps.get(app) };
  const usage = new UsageStore(database, options);
  const names = () => usage.read(0).map(({ app, figures }) => `${app} ${figures.requests}`);
  usage.addRequest(recordOf());
  usage.addRequest(recordOf({ app: "lasting" }));
  expect(names().toSorted()).toEqual(["chat 1", "lasting 1"]);
  apps.delete("chat");
  usage.addRequest(recordOf());
  expect(names()).toEqual(["lasting 1"]);
  // A deployed app of its name begins at zero.
  apps.set("chat", { isEphemeral: false });
  usage.addRequest(recordOf());
  expect(names().toSorted()).toEqual(["chat 1", "lasting 1"]);
  usage.close();
  database.close();
});

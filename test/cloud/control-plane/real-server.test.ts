// The whole server with real replicas: what a caller at the gateway sees while apps are deployed,
// crash, are replaced, and fail. Each test goes on with the app that the one before has left.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  authorityFile,
  stopCloudServer,
  untilEnded,
} from "../../../source/application/cloud-host/cloud-server.ts";
import { AdminClient } from "../../../source/cloud/admin/admin-client.ts";
import type { ReplicaDocument, ServerStatus } from "../../../source/cloud/admin/documents.ts";
import { cloudErrors } from "../../../source/cloud/errors.ts";
import { proofCases } from "../../support/proof.ts";
import { until } from "../../support/until.ts";
import {
  clearFolder,
  clientOf,
  deployTo,
  fakeDeployment,
  hostProgram,
  makeFolder,
  replicaProcesses,
  startServer,
} from "../support/real-server.ts";

let folder: string;
let server: ServerStatus;
let client: AdminClient;

beforeAll(async () => {
  folder = makeFolder();
  server = await startServer(folder);
  client = clientOf(folder);
});
afterAll(async () => {
  await stopCloudServer(folder, { drain: false, keepReplicas: false });
  const left = await replicaProcesses(folder);
  await clearFolder(folder);
  expect([...left.values()]).toEqual([]);
});

const call = async (route: string) => await fetch(`${server.baseUrl}/local/chat${route}`);
const living = async (): Promise<ReplicaDocument[]> =>
  (await client.replicas("chat")).filter(({ state }) => state !== "TERMINATED");

describe("an app", () => {
  it("answers through the gateway, survives its replica's end, and reports it", async () => {
    const scale = { minConcurrency: 1 };
    expect(
      await deployTo(client, fakeDeployment("one", { scale, smoke: "GET /v1/models" })),
    ).toMatchObject({
      kind: "done",
      result: { status: "active", cold_start_ms: expect.any(Number) },
    });
    expect(await (await call("/v1/models")).json()).toMatchObject({ data: [{ id: "fake-model" }] });

    const seen = async () => (await client.app("chat")).state;
    expect(await seen()).toBe("READY");
    for (const status of [404, 404, 500, 404, 500]) await call(`/status/${status}`);
    await expect
      .poll(() => client.app("chat"))
      .toMatchObject({
        state: "DEGRADED",
        reason: "Its last 5 answers were errors, the latest with status 500.",
      });
    await (await call("/v1/models")).text();
    // The gateway counts an answer once all of it was sent.
    await expect.poll(seen).toBe("READY");

    const [first] = await living();
    process.kill(first?.processId ?? 0, "SIGKILL");
    await until(living, (all) =>
      all.some(({ state, replica }) => state === "IDLE" && replica !== first?.replica),
    );
    expect((await call("/v1/models")).status).toBe(200);
    const ended = (await client.replicas("chat")).find(({ replica }) => replica === first?.replica);
    expect(ended).toMatchObject({ state: "TERMINATED", exit: { signal: "SIGKILL" } });

    expect((await replicaProcesses(folder)).size).toBe(1);
  });

  it.each(["rolling", "recreate"] as const)(
    "is replaced under load with only 200 responses (%s)",
    async (strategy) => {
      const scale = { minConcurrency: 1 };
      const statuses: number[] = [];
      let isOver = false;
      const caller = async () => {
        while (!isOver) {
          const reply = await call("/v1/models");
          statuses.push(reply.status);
          await reply.text();
          await setTimeout(10);
        }
      };
      const callers = Array.from({ length: 8 }, caller);
      for (const text of proofCases(["two"], ["three"])) {
        const before = statuses.length;
        const request = fakeDeployment(`${strategy} ${text}`, { scale, strategy });
        const last = await deployTo(client, request);
        expect(last).toMatchObject({ kind: "done", result: { status: "active" } });
        await expect.poll(() => statuses.length).toBeGreaterThan(before + 20);
      }
      isOver = true;
      await Promise.all(callers);
      expect([...new Set(statuses)]).toEqual([200]);
      await until(living, ({ length }) => length === 1);
    },
  );

  it("keeps the old revision when the new one fails, and says why", async () => {
    const before = await living();
    const crash = { CRASH_CODE: "7", SAY_ERROR: "no such weights" };
    const failed = await deployTo(client, fakeDeployment("failing", { fake: crash }));
    expect(failed).toMatchObject({
      kind: "failed",
      code: cloudErrors.startFailed.code,
      exitCode: 6,
    });
    expect(JSON.stringify(failed)).toContain("no such weights");
    expect((await living()).map(({ replica }) => replica)).toEqual(
      before.map(({ replica }) => replica),
    );
    expect((await call("/v1/models")).status).toBe(200);
    const revisions = await client.revisions("chat");
    expect(revisions.slice(0, 2).map(({ state }) => state)).toEqual(["FAILED", "ACTIVE"]);
  });

  it("finishes a running answer after a switch to another revision", async () => {
    const body = JSON.stringify({ stream: true, max_tokens: 30, delay_ms: 50 });
    const url = `${server.baseUrl}/local/chat/v1/chat/completions`;
    const streaming = fetch(url, { method: "POST", body }).then((reply) => reply.text());
    await expect.poll(async () => (await client.app("chat")).inFlight).toBe(1);
    const last = fakeDeployment("last", { scale: { minConcurrency: 1 } });
    expect(await deployTo(client, last)).toMatchObject({ kind: "done" });
    expect((await living()).map(({ state }) => state).toSorted()).toEqual(["DRAINING", "IDLE"]);
    const text = await streaming;
    expect(text).toContain("word29");
    expect(text).toContain("[DONE]");
    await until(living, ({ length }) => length === 1);
  });
});

it("a key's usage is counted; revoking it with --hard ends its requests", async () => {
  const request = fakeDeployment("one", { name: "counted" });
  await deployTo(client, { ...request, config: { ...request.config, auth: "private" } });
  const { key, token } = await client.createKey({ scope: "api", apps: ["counted"] });
  const url = `${server.baseUrl}/local/counted`;
  const headers = { authorization: `Key ${token}` };
  expect((await fetch(`${url}/v1/models`)).status).toBe(401);
  expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(200);
  const asked = { method: "POST", body: JSON.stringify({ max_tokens: 4 }), headers };
  expect((await fetch(`${url}/v1/chat/completions`, asked)).status).toBe(200);
  const body = JSON.stringify({ stream: true, max_tokens: 1000, delay_ms: 100 });
  const stream = await fetch(`${url}/v1/chat/completions`, { method: "POST", body, headers });
  await client.revokeKey(key.id, { hard: true });
  expect(await stream.text()).toContain("key_revoked");
  expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(401);
  const [counted] = await until(
    () => client.usage({ app: "counted", sinceMs: 0 }),
    ([usage]) => usage?.requests === 3,
  );
  expect(counted).toMatchObject({ inputTokens: 3, cachedTokens: 2, outputTokens: 4 });
  const metrics = await client.metrics();
  expect(metrics).toMatch(/deployctl_requests_total\{[^}]*app="counted"/);
  for (const phase of ["prepare", "launch", "import", "setup", "total"]) {
    expect(metrics).toContain(
      `deployctl_cold_start_seconds_count{org="local",app="counted",phase="${phase}"} 1`,
    );
  }
  const texts: string[] = [];
  for await (const { text } of client.logs("counted", {})) texts.push(text);
  expect(texts.join("\n")).toMatch(/is active/);
  await client.deleteApp("counted");
});

it("stopping ends replicas; a start that fails at its address starts none, and the next one does", async () => {
  await stopCloudServer(folder, { drain: true, keepReplicas: false });
  expect((await replicaProcesses(folder)).size).toBe(0);
  const stranger = createServer();
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  const { port } = stranger.address() as AddressInfo;
  await expect(startServer(folder, { port })).rejects.toMatchObject({
    code: cloudErrors.addressUnusable.code,
  });
  expect((await replicaProcesses(folder)).size).toBe(0);
  stranger.close();
  server = await startServer(folder, { adminPort: 0 });
  await until(living, (all) => all.some(({ state }) => state === "IDLE"));
  expect((await call("/v1/models")).status).toBe(200);
});

it("remote machines control it over HTTPS with an admin key only", async () => {
  const { token } = await client.createKey({ scope: "admin" });
  const weak = await client.createKey({ scope: "api" });
  const certificateAuthority = readFileSync(authorityFile(folder), "utf8");
  const url = server.adminUrl ?? "";
  expect(url).toMatch(/^https:/);
  const remote = new AdminClient({ url, key: token, certificateAuthority });
  expect((await remote.apps()).map(({ app }) => app)).toContain("chat");
  for (const key of [weak.token, "dk_wrong"]) {
    const refused = new AdminClient({ url, key, certificateAuthority }).apps();
    await expect(refused).rejects.toMatchObject({ exitCode: 4 });
  }
  // The public side knows nothing of it.
  const reply = await fetch(`${server.baseUrl}/_/v1/apps`, {
    headers: { authorization: `Key ${token}` },
  });
  expect(reply.status).toBe(404);
});

it("a second server on the same folder is refused, and the first continues", async () => {
  const second = spawnSync(process.execPath, [hostProgram, folder], { encoding: "utf8" });
  expect(second.stderr).toContain(cloudErrors.alreadyRunning.code);
  expect(second.status).toBe(cloudErrors.alreadyRunning.exitCode);
  expect((await client.status()).isReady).toBe(true);
});

it("a second stop does not wait for requests", async () => {
  const waiting = call("/wait?ms=50000").then(
    (reply) => reply.status,
    () => "cut",
  );
  await expect.poll(async () => (await client.app("chat")).inFlight).toBe(1);
  await client.stop({ drain: true });
  await client.stop({ drain: false });
  await untilEnded(server, folder);
  expect(await waiting).not.toBe(200);
  expect((await replicaProcesses(folder)).size).toBe(0);
});

it("an app is deleted with all its processes; callers are told for a day", async () => {
  server = await startServer(folder);
  await until(living, (all) => all.some(({ state }) => state === "IDLE"));
  await client.deleteApp("chat");
  await expect.poll(() => client.apps()).toHaveLength(0);
  expect((await replicaProcesses(folder)).size).toBe(0);
  expect((await call("/v1/models")).status).toBe(410);
});

// Requests while an app sleeps, wakes and changes: all are answered.
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findControlPlane } from "../../source/application/cloud-host/cloud-server.ts";
import type { ReplicaDocument, ServerProcesses } from "../../source/cloud/admin/documents.ts";
import { CloudHome, fakeServerScript } from "../support/cloud-home.ts";
import { isAlive, processesOfHome } from "../support/processes.ts";
import { proofRounds } from "../support/proof.ts";
import { until } from "../support/until.ts";

const rounds = proofRounds(10);

let cloud: CloudHome;
let url: string;
let wide: string;

beforeAll(async () => {
  cloud = await CloudHome.create();
  cloud.write("app.py", fakeServerScript({ words: '"--boot-seconds", "0.5"' }));
  const words = ["--max-multiplexing", "200", "--auth", "public", "--keep-alive", "1s"];
  url = (await cloud.json<{ url: string }>(["deploy", "app.py", "--app-name", "app", ...words]))
    .url;
});
afterAll(async () => await cloud.remove());

/** Replicas of the app, including ended ones. */
async function replicas(): Promise<{ replica: string; state: string }[]> {
  const words = ["runners", "list", "--state", "all"];
  const { runners } = await cloud.json<{
    runners: Pick<ReplicaDocument, "app" | "replica" | "state">[];
  }>(words);
  return runners.filter(({ app }) => app === "app");
}

async function processes(): Promise<ServerProcesses> {
  return await cloud.json<ServerProcesses & Record<string, unknown>>(["status"]);
}

/** Calls the app again and again, on kept connections. */
function callSteadily(): { seen: number[]; stop: () => Promise<void> } {
  const seen: number[] = [];
  let isOver = false;
  const callers = Array.from({ length: 2 }, async () => {
    while (!isOver) {
      const reply = await fetch(`${url}/v1/models`).catch(() => undefined);
      await reply?.text();
      seen.push(reply?.status ?? 0);
      await setTimeout(50);
    }
  });
  return {
    seen,
    stop: async () => {
      isOver = true;
      await Promise.all(callers);
    },
  };
}

async function sleep(app = "app"): Promise<void> {
  await until(
    async () => await cloud.json(["apps", "show", app]),
    ({ state }) => state === "COLD",
  );
}

/** Reads a stream that ends or breaks. */
async function readToEnd(reader: ReadableStreamDefaultReader | undefined): Promise<void> {
  for (;;) {
    const piece = await reader?.read().catch(() => undefined);
    if (piece === undefined || piece.done) return;
  }
}

describe("a sleeping app", () => {
  test("starts one replica for a hundred first requests and answers all", async () => {
    await sleep();
    await until(
      () => processesOfHome(cloud.folder).filter(({ text }) => text.includes("runner.py")),
      (running) => running.length === 0,
    );
    const before = await replicas();
    const all = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const reply = await fetch(`${url}/v1/models`);
        return { status: reply.status, replica: reply.headers.get("x-dctl-replica") };
      }),
    );
    expect(all.filter(({ status }) => status !== 200)).toEqual([]);
    expect(new Set(all.map(({ replica }) => replica)).size).toBe(1);
    expect(await replicas()).toHaveLength(before.length + 1);
  });

  test("is not woken by health checks", async () => {
    await sleep();
    const before = await replicas();
    const reply = await fetch(`${url}/health`);
    expect(reply.status).toBe(503);
    expect(await reply.json()).toMatchObject({ error_type: "cold" });
    expect(await replicas()).toHaveLength(before.length);
  });
});

describe("an app under load", () => {
  test("gets a replica for each request, and keeps the busy one when scaling in", async () => {
    cloud.write("wide.py", fakeServerScript());
    const limits = ["--max-concurrency", "3", "--max-multiplexing", "1", "--keep-alive", "1s"];
    const words = ["deploy", "wide.py", "--app-name", "wide", "--auth", "public", ...limits];
    wide = (await cloud.json<{ url: string }>(words)).url;
    const streams = await Promise.all(
      [0, 1, 2].map(async () => {
        const leaving = new AbortController();
        // An endless request, so that no other one gets this replica.
        const endless = `${wide}/events?n=0`;
        const reply = await fetch(endless, { signal: leaving.signal });
        // Keeps a reference to the reply: garbage collection would end its stream.
        return { replica: reply.headers.get("x-dctl-replica"), leaving, reply };
      }),
    );
    expect(new Set(streams.map(({ replica }) => replica)).size).toBe(3);
    const [first, second, kept] = streams;
    first?.leaving.abort();
    second?.leaving.abort();
    const alive = ["apps", "runners", "wide", "--quiet"];
    await until(
      async () => (await cloud.call(alive)).output,
      (names) => names === `${kept?.replica}\n`,
    );
    const reader = kept?.reply.body?.getReader();
    for (let piece = 0; piece < 10; piece += 1) {
      expect(await reader?.read()).toMatchObject({ done: false });
    }
    kept?.leaving.abort();
  });

  test("keeps its idle replicas when the gateway is killed, for callers that come back", async () => {
    const alive = async () => (await cloud.call(["apps", "runners", "wide", "--quiet"])).output;
    const open = async () => {
      const calls = [0, 1, 2].map(() => fetch(`${wide}/events?n=0`));
      return (await Promise.all(calls)).map(({ body }) => body?.getReader());
    };
    const cut = await open();
    const before = await alive();
    // Longer than the keep-alive.
    await setTimeout(1500);
    const { gatewayProcess } = await processes();
    process.kill(gatewayProcess.pid, "SIGKILL");
    await Promise.all(cut.map((reader) => readToEnd(reader)));
    const again = await until(
      () => open().catch(() => undefined),
      (streams) => streams !== undefined,
    );
    expect(await alive()).toBe(before);
    await Promise.all((again ?? []).map((reader) => reader?.cancel()));
  });
});

describe("an app that changes", () => {
  test("answers a steady stream of requests before, during and after a deployment", async () => {
    await cloud.json(["apps", "scale", "app", "--min-concurrency", "1"]);
    const stop = new AbortController();
    const seen: { status: number; revision: string | null }[] = [];
    const clients = Array.from({ length: 3 }, async () => {
      while (!stop.signal.aborted) {
        const reply = await fetch(`${url}/v1/chat/completions`, {
          method: "POST",
          body: JSON.stringify({ max_tokens: 5, delay_ms: 20, stream: true, messages: [] }),
        });
        const text = await reply.text();
        const isWhole = text.includes("[DONE]");
        seen.push({
          status: isWhole ? reply.status : 0,
          revision: reply.headers.get("x-dctl-revision"),
        });
      }
    });
    cloud.write("app.py", `# another\n${fakeServerScript({ words: '"--boot-seconds", "0.5"' })}`);
    const words = ["--max-multiplexing", "200", "--auth", "public"];
    const next = await cloud.json<{ revision: string }>([
      ...["deploy", "app.py", "--app-name", "app", ...words],
    ]);
    await until(
      () => seen.at(-1)?.revision,
      (revision) => revision === next.revision,
    );
    expect(await cloud.call(["rollback", "app"])).toMatchObject({ code: 0 });
    await until(
      () => seen.at(-1)?.revision,
      (revision) => revision !== next.revision,
    );
    await until(
      () => seen.length,
      (count) => count > 20,
    );
    stop.abort();
    await Promise.all(clients);
    expect(seen.filter(({ status }) => status !== 200)).toEqual([]);
  });

  test(`loses no request in ${rounds} kills of its control plane, and keeps its replica`, {
    timeout: 300_000,
  }, async () => {
    const living = async () => (await replicas()).filter(({ state }) => state !== "TERMINATED");
    const before = await until(living, (found) => found.length === 1);
    const following = cloud.start(["logs", "app", "-f", "--json"]);
    await until(following.output, (text) => text !== "");
    const { seen, stop } = callSteadily();
    const stream = await fetch(`${url}/events?n=0&pause_ms=50`);
    const reader = stream.body?.getReader();
    for (let round = 1; round <= rounds; round += 1) {
      // Kills in quick succession would delay the restart.
      if (round > 1) await setTimeout(10_000);
      await sleep("wide");
      process.kill((await processes()).controlPlane.pid, "SIGKILL");
      // No replica runs, and no control plane can start one.
      const woken = fetch(`${wide}/v1/models`);
      await until(
        () => findControlPlane(cloud.stateFolder),
        (status) => status?.isReady === true && status.controlPlane?.restarts === round,
      );
      expect((await woken).status).toBe(200);
      for (let piece = 0; piece < 10; piece += 1) {
        expect(await reader?.read()).toMatchObject({ done: false });
      }
    }
    await reader?.cancel();
    await stop();
    expect(seen.filter((status) => status !== 200)).toEqual([]);
    expect(seen.length).toBeGreaterThan(20);
    const reply = await fetch(`${url}/v1/models`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("x-dctl-replica")).toBe(before[0]?.replica);
    expect(await living()).toHaveLength(1);
    await cloud.json(["runners", "kill", before[0]?.replica ?? ""]);
    // The log continues without repeated or lost lines.
    const output = await until(following.output, (text) => text.includes("killed"));
    following.child.kill("SIGINT");
    expect(await following.ended).toMatchObject({ code: 130 });
    const lines = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const own = lines.filter(({ replica }) => replica === before[0]?.replica);
    const numbers = own.map(({ seq }) => seq);
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
  });

  test("loses only open requests when the gateway is killed, and keeps its address", async () => {
    const { gatewayProcess, controlPlane } = await processes();
    process.kill(gatewayProcess.pid, "SIGKILL");
    await until(
      () => fetch(`${url}/v1/models`).catch(() => undefined),
      (reply) => reply?.status === 200,
    );
    const after = await processes();
    expect(after.gatewayProcess).toMatchObject({
      restarts: gatewayProcess.restarts + 1,
      lastExit: "killed by SIGKILL",
    });
    expect(after.controlPlane.pid).toBe(controlPlane.pid);
  });

  test("keeps serving when the supervisor is killed; up starts a new one, down stops everything", async () => {
    const before = await processes();
    const { seen, stop } = callSteadily();
    process.kill(before.supervisor.pid, "SIGKILL");
    await until(processes, ({ supervisor }) => supervisor === undefined);
    const environment = { DEPLOYCTL_GATEWAY_WORKERS: "2" };
    const { errors, output } = await cloud.call(["up"], { environment });
    expect(errors).toContain("The setting gateway-workers no longer exists and is ignored");
    expect(errors).toContain("The supervisor has ended; starting a new one.");
    expect(output).not.toContain("Already running");
    await until(processes, ({ supervisor }) => supervisor?.restarts === 1);
    await stop();
    expect(seen.filter((status) => status !== 200)).toEqual([]);
    const after = await processes();
    expect(after.controlPlane).toEqual(before.controlPlane);
    expect(after.gatewayProcess).toEqual(before.gatewayProcess);
    process.kill(after.controlPlane.pid, "SIGKILL");
    await until(
      () => findControlPlane(cloud.stateFolder),
      (status) => status?.controlPlane?.restarts === before.controlPlane.restarts + 1,
    );
    const last = await processes();
    expect(await cloud.call(["down", "--force"])).toMatchObject({ code: 0 });
    const all = [last.supervisor, last.controlPlane, last.gatewayProcess];
    expect(all.filter(({ pid }) => isAlive(pid))).toEqual([]);
  });
});

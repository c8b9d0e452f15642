// The whole path on three nodes: deployctl's commands, its gateway, Ray, and requests that lose nothing.
import { setTimeout as wait } from "node:timers/promises";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ReplicaDocument, UsageDocument } from "../../../source/cloud/admin/documents.ts";
import { CloudHome, fakeServerScript } from "../../support/cloud-home.ts";
import { processesOfHome } from "../../support/processes.ts";
import { until } from "../../support/until.ts";
import type { RayCluster } from "../support/ray-cluster.ts";

const limitMs = 240_000;
const callers = 6;
/** Takes a whole node of four processors, so that each node gets one replica. */
const wholeNode = ["--machine-type", "L"];

/** @param cluster the running cluster, once tests run */
export function loadSuite(cluster: () => RayCluster): void {
  let cloud: CloudHome;
  let url: string;

  beforeAll(async () => {
    cloud = await CloudHome.create();
    const { address, token, servePort } = cluster();
    const file = cloud.write("ray.token", token);
    const words = ["--address", address, "--token-file", file, "--proxy-port", String(servePort)];
    await cloud.json(["engine", "use", "ray", ...words]);
    cloud.write("app.py", fakeServerScript());
  }, limitMs);
  afterAll(async () => {
    await cloud?.run(["down", "--force"]);
    await cloud?.remove();
  }, limitMs);

  async function living(app = "app"): Promise<ReplicaDocument[]> {
    const { runners } = await cloud.json<{ runners: ReplicaDocument[] }>(["runners", "list"]);
    return runners.filter((runner) => runner.app === app);
  }

  async function untilReady(count: number): Promise<ReplicaDocument[]> {
    const isReady = ({ state }: ReplicaDocument) => ["IDLE", "RUNNING"].includes(state);
    return await until(
      async () => (await living()).filter(isReady),
      (found) => found.length === count,
      limitMs,
    );
  }

  async function counted(): Promise<number> {
    const { usage } = await cloud.json<{ usage: UsageDocument[] }>(["usage", "app"]);
    return usage[0]?.requests ?? 0;
  }

  /** Sends streams without a pause; one that was cut is sent once more. */
  function load(): { seen: Sent[]; stop: () => Promise<Sent[]> } {
    const seen: Sent[] = [];
    let isOver = false;
    const all = Array.from({ length: callers }, async () => {
      while (!isOver) {
        const sent = await send(url);
        seen.push(sent);
        if (sent.isCut) seen.push({ ...(await send(url)), isRetry: true });
      }
    });
    const stop = async () => {
      isOver = true;
      await Promise.all(all);
      return seen;
    };
    return { seen, stop };
  }

  it("answers a chat with the tiny model through the gateway", { timeout: limitMs }, async () => {
    await cloud.json(["init", "--model", "tiny"]);
    const deployed = await cloud.json<{ url: string }>([
      ...["deploy", "deploy.py", "--app-name", "tiny", "--machine-type", "any"],
    ]);
    const client = new OpenAI({
      baseURL: `${deployed.url}/v1`,
      apiKey: "unused",
      defaultHeaders: { Authorization: `Key ${await cloud.createKey()}` },
      maxRetries: 0,
    });
    const content = "What is the capital of France?";
    const request = { model: "tiny", temperature: 0, max_tokens: 24 };
    const messages = [{ role: "user" as const, content }];
    const whole = await client.chat.completions.create({ ...request, messages });
    const text = whole.choices[0]?.message.content ?? "";
    expect(text).toContain("Paris");
    const stream = await client.chat.completions.create({ ...request, messages, stream: true });
    let streamed = "";
    for await (const chunk of stream) streamed += chunk.choices[0]?.delta.content ?? "";
    expect(streamed).toBe(text);
    expect((await living("tiny"))[0]?.node).toMatch(/^[\d.]+\/[0-9a-f]{8}$/);
    await cloud.json(["apps", "delete", "tiny"]);
  });

  it("splits traffic between two revisions, and runs queued requests on both", {
    timeout: 2 * limitMs,
  }, async () => {
    const deploy = async (text: string, ...more: string[]) => {
      cloud.write("split.py", `# ${text}\n${fakeServerScript()}`);
      const words = ["--app-name", "split", "--auth", "public", "--machine-type", "any"];
      const limits = ["--min-concurrency", "1", "--max-multiplexing", "8"];
      return await cloud.json<{ url: string; revision: string }>([
        ...["deploy", "split.py", ...words, ...limits, ...more],
      ]);
    };
    const first = await deploy("one");
    const second = await deploy("two", "--traffic", "50");
    const both = [first.revision, second.revision].sort();
    const chats = Array.from({ length: 12 }, (_, number) =>
      JSON.stringify({ messages: [{ role: "user", content: `chat ${number}` }], max_tokens: 1 }),
    );
    const revisionOf = (reply: Response) => {
      expect(reply.status).toBe(200);
      return reply.headers.get("x-dctl-revision") ?? "";
    };
    const called = () =>
      Promise.all(
        chats.map(async (body) =>
          revisionOf(await fetch(`${first.url}/v1/chat/completions`, { method: "POST", body })),
        ),
      );
    const queued = chats.map(async (body) => {
      const base = first.url.replace("/local/", "/queue/local/");
      const reply = await fetch(`${base}/v1/chat/completions`, { method: "POST", body });
      const { response_url: result } = (await reply.json()) as { response_url: string };
      return revisionOf(
        await until(
          () => fetch(result),
          ({ status }) => status !== 400,
          limitMs,
        ),
      );
    });
    const places = await called();
    expect([...new Set(places)].sort()).toEqual(both);
    // The same body is the same conversation.
    expect(await Promise.all(queued)).toEqual(places);
    expect(await called()).toEqual(places);
    await cloud.json(["traffic", "promote", "split"]);
    expect(new Set(await called())).toEqual(new Set([second.revision]));
    await cloud.json(["apps", "delete", "split"]);
  });

  it("goes from no replica to one on each node and back, and answers all", {
    timeout: 2 * limitMs,
  }, async () => {
    const limits = ["--max-concurrency", "3", "--max-multiplexing", "1", "--keep-alive", "2s"];
    const words = ["--auth", "public", "--scaling-delay", "100ms", ...limits, ...wholeNode];
    const deploy = ["deploy", "app.py", "--app-name", "app", ...words];
    url = (await cloud.json<{ url: string }>(deploy)).url;
    await until(living, (found) => found.length === 0, limitMs);
    const before = await counted();
    const { seen, stop } = load();
    const replicas = await untilReady(3);
    expect(new Set(replicas.map(({ node }) => node)).size).toBe(3);
    await wait(2_000);
    expectAnswered(await stop());
    await until(living, (found) => found.length === 0, limitMs);
    expect((await counted()) - before).toBe(seen.length);
  });

  it("loses no request while a new revision takes over", { timeout: 2 * limitMs }, async () => {
    await cloud.json(["apps", "scale", "app", "--min-concurrency", "1"]);
    await untilReady(1);
    const { seen, stop } = load();
    cloud.write("app.py", `# another\n${fakeServerScript()}`);
    const limits = ["--max-concurrency", "2", "--min-concurrency", "1", "--max-multiplexing", "8"];
    const words = ["--auth", "public", ...limits, "--machine-type", "any"];
    const deploy = ["deploy", "app.py", "--app-name", "app", ...words];
    const { revision } = await cloud.json<{ revision: string }>(deploy);
    await until(
      () => seen.at(-1)?.revision,
      (last) => last === revision,
      limitMs,
    );
    expectAnswered(await stop());
  });

  it("cuts only open streams when a server's process is killed; each succeeds when sent again", {
    timeout: 2 * limitMs,
  }, async () => {
    await cloud.json(["apps", "scale", "app", "--min-concurrency", "2"]);
    const [killed] = await untilReady(2);
    const { seen, stop } = load();
    await until(
      () => seen,
      (all) => all.length > 20,
    );
    const nonce = `DEPLOYCTL_REPLICA=${killed?.replica} `;
    const server = processesOfHome("").find(
      ({ text }) => text.includes(nonce) && text.includes("fake-server.py --port"),
    );
    process.kill(server?.id ?? 0, "SIGKILL");
    await until(living, (all) => all.every(({ replica }) => replica !== killed?.replica), limitMs);
    await untilReady(2);
    expectAnsweredOnce(await stop());
  });

  it("cuts only open streams when a node is lost, and counts every request", {
    timeout: 3 * limitMs,
  }, async () => {
    const limits = ["--max-concurrency", "3", "--min-concurrency", "3", "--max-multiplexing", "8"];
    const words = ["--auth", "public", "--keep-alive", "10m", ...limits, ...wholeNode];
    await cloud.json(["deploy", "app.py", "--app-name", "app", "--reset-scale", ...words]);
    await untilReady(3);
    const before = await counted();
    const { seen, stop } = load();
    await until(
      () => seen,
      (all) => all.length > 20,
    );
    await cluster().killRaylet(2);
    await until(
      living,
      (all) => all.filter(({ state }) => state !== "PENDING").length < 3,
      limitMs,
    );
    const length = seen.length;
    await until(
      () => seen,
      (all) => all.length > length + 50,
    );
    const all = await stop();
    expectAnsweredOnce(all);
    expect((await counted()) - before).toBe(all.length);
    await cluster().startWorker(2);
    await untilReady(3);
  });
}

interface Sent {
  status: number;
  revision: string | null;
  /** The stream began and did not end. */
  isCut: boolean;
  isRetry?: boolean;
}

async function send(url: string): Promise<Sent> {
  const body = JSON.stringify({ max_tokens: 10, delay_ms: 20, stream: true, messages: [] });
  const reply = await fetch(`${url}/v1/chat/completions`, { method: "POST", body }).catch(
    () => new Response(undefined, { status: 599, statusText: "No reply" }),
  );
  const text = await reply.text().catch(() => "");
  const revision = reply.headers.get("x-dctl-revision");
  const isCut = reply.status === 200 && !text.includes("[DONE]");
  return { status: reply.status, revision, isCut };
}

function expectAnswered(all: readonly Sent[]): void {
  report(all);
  expect(all.filter(({ status, isCut }) => status !== 200 || isCut)).toEqual([]);
  expect(all.length).toBeGreaterThan(20);
}

/** Streams may be cut, but not those that were sent again. */
function expectAnsweredOnce(all: readonly Sent[]): void {
  report(all);
  expect(all.filter(({ status, isCut, isRetry }) => status !== 200 || (isCut && isRetry))).toEqual(
    [],
  );
  expect(all.filter(({ isCut }) => isCut).length).toBeLessThanOrEqual(callers);
}

function report(all: readonly Sent[]): void {
  console.log(`${all.length} requests, ${all.filter(({ isCut }) => isCut).length} cut streams`);
}

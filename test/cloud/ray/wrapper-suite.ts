// The wrapper in Ray Serve: starts, streams, deaths and ends of a script's server.
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAlive } from "../../support/processes.ts";
import { until } from "../../support/until.ts";
import type { RayCluster } from "../support/ray-cluster.ts";
import { type Application, ServeApplications } from "../support/serve-applications.ts";

const script = readFileSync(
  path.join(import.meta.dirname, "../../fixtures/cloud/small-server.py"),
  "utf8",
);
const limitMs = 180_000;

/** @param cluster the running cluster, once tests run */
export function wrapperSuite(cluster: () => RayCluster): void {
  let applications: ServeApplications;
  let folder: string;

  beforeAll(async () => {
    applications = new ServeApplications(cluster());
    folder = await applications.upload(script);
    await applications.add("small", folder, { environment: { GREETING: "good morning" } });
    await applications.running("small");
  }, limitMs);
  afterAll(async () => {
    applications.unlist(...Object.keys(await applications.all()));
    await applications.put();
  });

  async function processId(name: string): Promise<number> {
    return Number(await (await fetch(`${applications.url(name)}/pid`)).text());
  }

  test("passes requests and replies on as they are", async () => {
    const url = `${applications.url("small")}/echo/a%2Fb?c=%20d&c`;
    const headers = { "x-one": "1", "content-type": "text/x" };
    const answer = await fetch(url, { method: "PATCH", headers, body: "some text" });
    expect(answer.status).toBe(207);
    expect(answer.headers.get("x-dctl-replica")).toBe("alive");
    expect(await answer.json()).toMatchObject({
      ...{ method: "PATCH", target: "/echo/a%2Fb?c=%20d&c", body: "some text" },
      headers: expect.objectContaining({ "x-one": "1", "content-type": "text/x" }),
    });
  });

  test("gives the script its variables, and none of Ray's", async () => {
    const answer = await fetch(`${applications.url("small")}/variables`);
    const variables = (await answer.json()) as Record<string, string>;
    expect(variables).toMatchObject({ GREETING: "good morning", DEPLOYCTL_REPLICA: "small" });
    expect(Object.keys(variables).filter((name) => name.startsWith("RAY_"))).toEqual([]);
    expect(Object.values(variables)).not.toContain(cluster().token);
  });

  test("streams both ways: a part comes back before the next part is sent", async () => {
    let send: (text: string) => void = () => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = (text) =>
          text === "" ? controller.close() : controller.enqueue(new TextEncoder().encode(text));
      },
    });
    send("first");
    const url = `${applications.url("small")}/parrot`;
    const answer = await fetch(url, { method: "POST", body, duplex: "half" } as RequestInit);
    const parts = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await parts?.read())?.value).toBe("first");
    send("second");
    expect((await parts?.read())?.value).toBe("second");
    send("");
    expect((await parts?.read())?.done).toBe(true);
  });

  test("carries WebSockets", async () => {
    const socket = new WebSocket(`${applications.url("small").replace("http", "ws")}/socket?q=1`);
    const texts: unknown[] = [];
    socket.addEventListener("message", ({ data }) => texts.push(data));
    const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
    await new Promise((resolve) => socket.addEventListener("open", resolve));
    socket.send("hello");
    socket.send("bye");
    expect(await closed).toMatchObject({ code: 4001, reason: "as asked" });
    expect(texts).toEqual(["/socket?q=1: hello", "/socket?q=1: bye"]);
  });

  test("tells the server that a client has left", async () => {
    const leave = new AbortController();
    const url = `${applications.url("small")}/events?count=100000`;
    const answer = await fetch(url, { signal: leave.signal });
    await answer.body?.getReader().read();
    leave.abort();
    await until(
      async () => await (await fetch(`${applications.url("small")}/left`)).text(),
      (text) => Number(text) > 0,
    );
  });

  test(
    "a killed server: 503 with the marker, a cut stream, then another process",
    async () => {
      const first = await processId("small");
      const before = (await applications.running("small")).deployments.replica?.replicas[0];
      const stream = await fetch(`${applications.url("small")}/events?count=100000`);
      const reader = stream.body?.getReader();
      await reader?.read();
      process.kill(first, "SIGKILL");
      const read = async () => {
        while (!(await reader?.read())?.done);
      };
      await expect(read()).rejects.toThrow();
      const answers = [await fetch(`${applications.url("small")}/pid`)];
      while (answers.at(-1)?.status !== 200) {
        answers.push(await fetch(`${applications.url("small")}/pid`));
      }
      const [failed] = answers;
      expect([failed?.status, failed?.headers.get("x-dctl-replica")]).toEqual([503, "dead"]);
      await applications.until("small", (it) => {
        const replica = it?.deployments.replica?.replicas[0];
        return it?.status === "RUNNING" && replica?.actor_id !== before?.actor_id;
      });
      expect(await processId("small")).not.toBe(first);
    },
    limitMs,
  );

  test(
    "a killed worker takes its server along",
    async () => {
      const server = await processId("small");
      const before = (await applications.running("small")).deployments.replica?.replicas[0];
      if (before === undefined) throw new Error("it has no replica");
      process.kill(before.pid, "SIGKILL");
      await until(
        () => isAlive(server),
        (lives) => !lives,
      );
      await applications.until("small", (it) => {
        const replica = it?.deployments.replica?.replicas[0];
        return it?.status === "RUNNING" && replica?.actor_id !== before.actor_id;
      });
    },
    limitMs,
  );

  test(
    "a removed application finishes its streams, and leaves no process",
    async () => {
      await applications.add("leaving", folder, { graceful_shutdown_timeout_s: 60 });
      await applications.running("leaving");
      const server = await processId("leaving");
      const stream = await fetch(`${applications.url("leaving")}/events?count=30`);
      await applications.remove("leaving");
      expect((await stream.text()).match(/data: /g)).toHaveLength(30);
      await applications.gone("leaving");
      await until(
        () => isAlive(server),
        (lives) => !lives,
      );
    },
    limitMs,
  );

  test(
    "a failed start tells the exit and the last lines, once",
    async () => {
      const broken = await applications.upload("print('about to fail')\nimport nowhere_at_all\n");
      await applications.add("broken", broken);
      const { deployments } = await applications.until<Application>(
        "broken",
        (it) => it?.status === "DEPLOY_FAILED",
      );
      await applications.remove("broken");
      const line = deployments.replica?.message
        .split("\n")
        .find((it) => it.includes('@deployctl {"phase": "exited"'));
      expect(JSON.parse(line?.slice(line.indexOf("{")) ?? "")).toMatchObject({
        code: 68,
        ending: { reason: "import_error", sentence: expect.stringContaining("nowhere_at_all") },
        tail: expect.arrayContaining(["about to fail"]),
      });
    },
    limitMs,
  );
}

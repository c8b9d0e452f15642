// deployctl run, and start and stop of the control plane.
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CloudHome, fakeServerScript } from "../support/cloud-home.ts";
import { holdStream } from "../support/held-stream.ts";
import { processesOfHome } from "../support/processes.ts";
import { until } from "../support/until.ts";

/** Its server stops on GET /end, and then prints many lines. */
const scriptThatEnds = `
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import deployctl

class Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(204)
        self.end_headers()
        if self.path == "/end":
            threading.Thread(target=self.server.shutdown).start()

@deployctl.app(port=8000)
def serve():
    ThreadingHTTPServer(("", 8000), Answers).serve_forever()
    for number in range(5000):
        print("line %d" % number)
    raise SystemExit(3)
`;

let cloud: CloudHome;

beforeAll(async () => {
  cloud = await CloudHome.create();
});
afterAll(async () => await cloud.remove());

describe("run", () => {
  test("serves until Ctrl+C, prints the log, and leaves nothing behind", async () => {
    cloud.write("app.py", fakeServerScript({ words: '"--say", "hello log"' }));
    const running = cloud.start(["run", "app.py"]);
    // The line and the message that it is ready come in any order.
    const output = await until(running.output, (text) =>
      ["hello log", "$DEPLOYCTL_KEY"].every((part) => text.includes(part)),
    );
    const url = /http:\/\/127\.0\.0\.1:\d+\/local\/[a-z0-9-]+/.exec(output)?.[0] ?? "";
    expect(url).toMatch(/\/local\/app$/);
    expect((await fetch(`${url}/v1/models`)).status).toBe(401);
    const key = await cloud.createKey();
    const headers = { authorization: `Key ${key}` };
    // The gateway learns of a new key from the control plane.
    await expect.poll(async () => (await fetch(`${url}/v1/models`, { headers })).status).toBe(200);
    const used = async () =>
      (await cloud.json<{ usage: { app: string }[] }>(["usage"])).usage.map(({ app }) => app);
    await expect.poll(used).toEqual(["app"]);
    running.child.kill("SIGINT");
    const { code, output: log, errors } = await running.ended;
    expect(code).toBe(130);
    expect(`${errors}${log}`.split("hello log"), errors + log).toHaveLength(2);
    await until(
      () => processesOfHome(cloud.folder).filter(({ text }) => text.includes("runner.py")),
      (replicas) => replicas.length === 0,
    );
    expect((await fetch(`${url}/v1/models`, { headers })).status).toBeGreaterThanOrEqual(404);
    await expect.poll(used).toEqual([]);
  });

  test("with --auth public needs no key, prints its own log alone, and leaves nothing behind if it is killed", async () => {
    // The test above had the same name.
    cloud.write("app.py", fakeServerScript({ words: '"--say", "hello once"' }));
    await until(
      () => cloud.json<{ apps: unknown[] }>(["apps", "list"]),
      ({ apps }) => apps.length === 0,
    );
    const words = ["run", "app.py::serve", "--app-name", "app", "--auth", "public"];
    const running = cloud.start(words);
    await until(running.output, (text) =>
      ["hello once", "is active."].every((part) => text.includes(part)),
    );
    const url = `http://127.0.0.1:${cloud.gatewayPort}/local/app/v1/models`;
    expect((await fetch(url)).status).toBe(200);
    running.child.kill("SIGKILL");
    const { output, errors } = await running.ended;
    expect(`${errors}${output}`.split("hello once"), errors + output).toHaveLength(2);
    expect(`${errors}${output}`).not.toContain("hello log");
    await until(
      () => processesOfHome(cloud.folder).filter(({ text }) => text.includes("runner.py")),
      (replicas) => replicas.length === 0,
    );
  });

  test("prints the last lines and the reason when the script exits by itself", async () => {
    cloud.write("app.py", scriptThatEnds);
    const running = cloud.start(["run", "app.py", "--auth", "public"]);
    const started = await until(running.output, (text) => text.includes("until Ctrl+C"));
    await fetch(`${/^http\S+/m.exec(started)?.[0]}/end`);
    const { code, output, errors } = await running.ended;
    expect(code, errors).toBe(6);
    const numbers = [...output.matchAll(/ {3}line (\d+)$/gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: 5000 }, (_, number) => number));
    expect(errors.trimEnd().split("\n").at(-1)).toContain("3");
  });

  test("--watch restarts at the same address when the script changes", async () => {
    cloud.write("app.py", fakeServerScript({ words: '"serve", "model-one"' }));
    const words = ["run", "app.py", "--app-name", "open", "--auth", "public", "--quiet", "--watch"];
    const running = cloud.start(words);
    const url = (await until(running.output, (text) => text.endsWith("\n"))).trim();
    expect(url).toBe(`http://127.0.0.1:${cloud.gatewayPort}/local/open`);
    cloud.write("app.py", fakeServerScript({ words: '"serve", "model-two"' }));
    const models = await until(
      async () => await (await fetch(`${url}/v1/models`)).text(),
      (text) => text.includes("model-two"),
    );
    expect(models).not.toContain("model-one");
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130 });
  });

  test("--local calls the function in this process, without a server", async () => {
    cloud.write(
      "local.py",
      `import deployctl\n\n\n@deployctl.app(port=8123)\ndef serve():\n    print("port", deployctl.port())\n`,
    );
    const environment = { DEPLOYCTL_STATE_DIR: path.join(cloud.folder, "no-state") };
    const words = ["run", "local.py", "--local"];
    const { code, output } = await cloud.run(words, { environment });
    expect(code).toBe(0);
    // The runner's messages to a control plane are not printed.
    expect(output).toBe("port 8123\n");
    expect(existsSync(path.join(cloud.folder, "no-state"))).toBe(false);
  });

  test("exits with 6 and the reason when the script fails", async () => {
    cloud.write(
      "bad.py",
      `import deployctl, no_such_module\n\n\n@deployctl.app(port=8000)\ndef serve(): pass\n`,
    );
    const { code, errors } = await cloud.call(["run", "bad.py"]);
    expect(code, errors).toBe(6);
    expect(errors).toContain("no_such_module");
  });
});

describe("the control plane", () => {
  let backup: string;

  test("starts once, prints its status, and ends with its replicas", async () => {
    cloud.write("app.py", fakeServerScript());
    for (const name of ["one", "other"]) await cloud.json(["deploy", "app.py", "--app-name", name]);
    const status = await cloud.json<{ processId: number; apps: number }>(["status"]);
    expect(status).toMatchObject({ isReady: true, organisation: "local", apps: 2 });
    expect(await cloud.json(["up"])).toMatchObject({ started: false, processId: status.processId });
    expect(statSync(cloud.stateFolder).mode & 0o077).toBe(0);
    backup = (await cloud.json<{ file: string }>(["state", "backup"])).file;
    expect(await cloud.call(["state", "restore", backup])).toMatchObject({ code: 5 });
    await cloud.json(["apps", "delete", "other"]);
    const running = cloud.start(["run", "app.py", "--quiet"]);
    await until(running.output, (text) => text.endsWith("\n"));
    expect(await cloud.json(["down"])).toEqual({ stopped: true, keptReplicas: false });
    // The end of the app and that of the server are reported in any order.
    expect([6, 8]).toContain((await running.ended).code);
    expect(processesOfHome(cloud.folder)).toEqual([]);
    expect(await cloud.call(["status"])).toMatchObject({ code: 8 });
    expect(await cloud.json(["down"])).toEqual({ stopped: false });
  });

  test("restores a backup while it is stopped, and its apps when it starts", async () => {
    expect(await cloud.json(["state", "restore", backup])).toMatchObject({
      file: path.join(cloud.stateFolder, "state.db"),
    });
    await cloud.json(["up"]);
    const { apps } = await cloud.json<{ apps: { app: string; url: string }[] }>(["apps", "list"]);
    expect(apps.map(({ app }) => app).sort()).toEqual(["one", "other"]);
    const key = await cloud.createKey();
    const reply = await fetch(`${apps[0]?.url}/v1/models`, {
      headers: { authorization: `Key ${key}` },
    });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("x-dctl-cold-start")).toBe("1");
  });

  test.each([
    [["status"]],
    [["apps", "list"]],
    [["apps", "show", "one"]],
    [["apps", "list-rev", "one"]],
    [["apps", "runners", "one", "--state", "all"]],
    [["runners", "list", "--since", "1h"]],
    [["keys", "list"]],
    [["secrets", "list"]],
    [["env", "list", "one"]],
    [["usage", "--since", "7d"]],
    [["doctor"]],
    [["engine", "status"]],
    [["profile", "list"]],
    [["profile", "show"]],
    [["state", "check"]],
    [["state", "backup"]],
  ])("is described by %j as a table or a JSON document", async (words) => {
    const [plain, document] = await Promise.all([cloud.call(words), cloud.json(words)]);
    expect(plain).toMatchObject({ code: 0, output: expect.stringMatching(/\S.*\n$/) });
    expect(document).toBeTypeOf("object");
  });

  test("is checked by doctor --json, with a finding for each subject", async () => {
    const { findings } = (await cloud.json(["doctor"])) as { findings: { subject: string }[] };
    const subjects = ["system", "python", "venv", "gpu", "state", "server", "engine"];
    expect(findings.map(({ subject }) => subject)).toEqual(subjects);
    for (const finding of findings) {
      expect(finding).toMatchObject({
        kind: expect.stringMatching(/^(?:ok|warning|fault)$/),
        sentence: expect.stringMatching(/\S/),
      });
    }
  });

  test("says that it is stopping and how to hurry; the next one starts afterwards", async () => {
    const authorization = `Key ${await cloud.createKey()}`;
    const url = `http://127.0.0.1:${cloud.gatewayPort}/local/one/events?n=0`;
    const events = await holdStream(url, { headers: { authorization } });
    expect(events.reply.status).toBe(200);
    const stopping = cloud.start(["down"]);
    await until(
      async () => (await cloud.call(["status"])).output,
      (text) => text.includes("is stopping: waiting for running requests"),
    );
    const next = cloud.start(["up", "--json"]);
    events.leave();
    const stopped = await stopping.ended;
    expect(stopped, stopped.errors).toMatchObject({ code: 0 });
    expect(stopped.errors).toContain(
      "Waiting up to 30 s for running requests; use deployctl down --force to cancel them",
    );
    const { output, errors } = await next.ended;
    expect(JSON.parse(output), errors).toMatchObject({ started: true, isReady: true });
  });

  test("accepts no admin commands at the gateway, and shows metrics only to an admin key", async () => {
    const admin = (await cloud.call(["profile", "key"])).output.trim();
    const api = await cloud.createKey();
    const status = async (place: string, key?: string) => {
      const headers = key === undefined ? {} : { authorization: `Key ${key}` };
      return (await fetch(`http://127.0.0.1:${cloud.gatewayPort}/_/${place}`, { headers })).status;
    };
    for (const key of [undefined, api, admin]) expect(await status("v1/status", key)).toBe(404);
    expect(await status("metrics")).toBe(404);
    expect(await status("metrics", api)).toBe(404);
    expect(await status("metrics", admin)).toBe(200);
  });
});

// Remote server, with an admin key over HTTPS in a profile.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CloudHome, entryFile, fakeServerScript } from "../support/cloud-home.ts";
import { findFreePort } from "../support/command-line.ts";
import { openTerminal } from "../support/pty.ts";

let server: CloudHome;
let client: CloudHome;
let url: string;
let authority: string;
let adminKey: string;

beforeAll(async () => {
  server = await CloudHome.create();
  client = await CloudHome.create();
  const adminPort = await findFreePort();
  url = `https://127.0.0.1:${adminPort}`;
  const environment = {
    DEPLOYCTL_TLS: "self-signed",
    DEPLOYCTL_ADMIN_LISTEN: `127.0.0.1:${adminPort}`,
  };
  await server.json(["up"], { environment });
  authority = (await server.json<{ file: string }>(["tls", "trust"])).file;
  adminKey = (await server.call(["profile", "key"])).output.trim();
});
afterAll(async () => {
  await client.remove();
  await server.remove();
});

describe("login", () => {
  test.each([
    ["without trusting its authority", () => ["--key", adminKey], 8, "pass it with --ca"],
    ["with an invalid key", () => ["--key", "dk_nonsense", "--ca", authority], 4, "admin key"],
    [
      "with a file that is not an authority",
      () => ["--key", adminKey, "--ca", "/nowhere"],
      2,
      "--ca",
    ],
  ])("%s is refused and nothing is saved", async (_how, words, code, advice) => {
    const refused = await client.call(["login", url, ...words()]);
    expect(refused).toMatchObject({ code, output: "" });
    expect(refused.errors).toContain(advice);
    expect(await client.json(["profile", "list"])).toMatchObject({ profiles: ["local"] });
  });

  test("with a key that may only call apps is refused", async () => {
    const key = await server.createKey();
    const refused = await client.call(["login", url, "--key", key, "--ca", authority]);
    expect(refused.code).toBe(4);
    expect(refused.errors).toContain("admin");
  });

  test("saves a working server in a profile and makes it current", async () => {
    const words = ["login", url, "--ca", authority, "--profile", "far"];
    const input = { kind: "pipe", text: `${adminKey}\n` } as const;
    const kept = await client.run(words, { input });
    expect(kept, kept.errors).toMatchObject({ code: 0 });
    expect(await client.json(["status"])).toMatchObject({ isReady: true, organisation: "local" });
    const shown = await client.call(["profile", "show"]);
    expect(shown.output).toContain(url);
    expect(shown.output).not.toContain(adminKey);
  });
});

describe("a remote server", () => {
  test("accepts a script, which clients that trust its authority call over HTTPS with a key made remotely", async () => {
    client.write("app.py", fakeServerScript());
    const deployed = await client.json<{ url: string; app: string }>([
      ...["deploy", "app.py", "--app-name", "far-app"],
    ]);
    expect(deployed.url).toMatch(/^https:/);
    expect(await server.json(["apps", "list"])).toMatchObject({ apps: [{ app: "far-app" }] });
    expect(await client.json(["apps", "runners", "far-app"])).toMatchObject({
      runners: [{ app: "far-app" }],
    });
    const { output } = await client.call(["logs", "far-app", "--lines", "1"]);
    expect(output).not.toBe("");
    const script = client.write(
      "client.mjs",
      `const [url, key] = process.argv.slice(2);
const body = JSON.stringify({ stream: true, max_tokens: 3 });
const ask = (headers) => fetch(url + "/v1/chat/completions", { method: "POST", headers, body });
const events = (await (await ask({ authorization: "Key " + key })).text()).match(/(?<=^data: )\\{.*/gm);
const text = events.map((event) => JSON.parse(event).choices[0].delta.content).join("");
console.log(JSON.stringify({ text, refused: (await ask({})).status }));
`,
    );
    const words = [script, deployed.url, await client.createKey()];
    const env = { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: authority };
    const { stdout } = await promisify(execFile)(process.execPath, words, { env });
    expect(JSON.parse(stdout)).toEqual({ text: "word0 word1 word2 ", refused: 401 });
    await expect(fetch(deployed.url)).rejects.toThrow();
  });

  test("refuses to run a command next to a replica", async () => {
    const { runners } = await client.json<{ runners: { replica: string }[] }>(["runners", "list"]);
    const id = runners[0]?.replica ?? "";
    expect(await client.call(["runners", "exec", id, "--", "true"])).toMatchObject({ code: 5 });
    const words = ["runners", "exec", id, "sh", "-c", "echo $PORT; exit 3"];
    const here = await server.run(words);
    expect(here).toMatchObject({ code: 3, output: expect.stringMatching(/^\d+\n$/) });
  });

  test("opens no shell and forwards no port without --remote-shell on", async () => {
    const { runners } = await client.json<{ runners: { replica: string }[] }>(["runners", "list"]);
    const id = runners[0]?.replica ?? "";
    const refused = await client.call(["runners", "forward", id, "0:8000"]);
    expect(refused).toMatchObject({ code: 4, output: "" });
    expect(refused.errors).toContain("--remote-shell on");
    const terminal = await openTerminal([], {
      shell: `exec '${process.execPath}' '${entryFile}' runners shell ${id}`,
      home: client.folder,
      environment: { ...client.home.environment, ...client.environment },
    });
    await terminal.shows("--remote-shell on");
    expect(await terminal.exited).toBe(4);
    await terminal.close();
  });

  test("the profile's key is not sent to another server", async () => {
    const refused = await client.call(["status", "--server", "https://127.0.0.1:1"]);
    expect(refused).toMatchObject({ code: 4 });
  });

  test("--profile local switches back to this machine", async () => {
    const own = await client.call(["status", "--profile", "local"]);
    expect(own).toMatchObject({ code: 8 });
    expect(own.errors).toContain(path.join(client.stateFolder, "admin.sock"));
  });
});

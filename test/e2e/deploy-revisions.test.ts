// Revisions and rollback of an app, its keys, logs, variables and scaling.
import { rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { VariableChanges } from "../../source/cloud/variable-changes.ts";
import { CloudHome, fakeServerScript } from "../support/cloud-home.ts";
import { until } from "../support/until.ts";

let cloud: CloudHome;
let url: string;
let key: string;
let first: string;
let second: string;

beforeAll(async () => {
  cloud = await CloudHome.create();
  cloud.write(
    "app.py",
    fakeServerScript({ words: '"serve", "model-one", "--say", "hello from one"' }),
  );
  const one = await deploy();
  url = one.url;
  first = one.revision;
  cloud.write(
    "app.py",
    fakeServerScript({ words: '"serve", "model-two", "--say", "hello from two"' }),
  );
  second = (await deploy("--message", "the second")).revision;
  key = await cloud.createKey("--desc", "the tests");
});
afterAll(async () => await cloud.remove());

async function deploy(...words: string[]) {
  const command = ["deploy", "app.py", "--app-name", "app", ...words];
  return await cloud.json<{ url: string; revision: string; previous?: string }>(command);
}

async function ask(path = "/v1/models", token = key): Promise<Response> {
  return await fetch(`${url}${path}`, { headers: { authorization: `Key ${token}` } });
}

describe("revisions", () => {
  test("are numbered, and rollback activates the previous one", async () => {
    expect(await (await ask()).json()).toMatchObject({ data: [{ id: "model-two" }] });
    const back = await cloud.json(["rollback", "app"]);
    expect(back).toMatchObject({ revision: first, previous: second, status: "active" });
    expect(await (await ask()).json()).toMatchObject({ data: [{ id: "model-one" }] });
    const { code, output } = await cloud.call(["apps", "list-rev", "app"]);
    expect(code).toBe(0);
    expect(output).toMatch(/^REVISION/);
    expect(output).toContain("the second");
  });

  test("can be named, cannot be deleted while in use, and can afterwards", async () => {
    expect(await cloud.json(["apps", "set-rev", "app", second])).toMatchObject({
      revision: second,
    });
    const refused = await cloud.call(["apps", "delete-rev", "app", second]);
    expect(refused).toMatchObject({ code: 5 });
    const unknown = await cloud.call(["apps", "set-rev", "app", "r9999-00000000"]);
    expect(unknown).toMatchObject({ code: 3 });
    // Its replica takes a moment to exit.
    await until(
      async () => (await cloud.call(["apps", "delete-rev", "app", first])).code,
      (code) => code === 0,
    );
    const { revisions } = await cloud.json<{ revisions: { revision: string }[] }>([
      ...["apps", "list-rev", "app"],
    ]);
    expect(revisions.map(({ revision }) => revision)).not.toContain(first);
  });
});

describe("keys", () => {
  test("are listed without their tokens and stop working once revoked", async () => {
    const made = await cloud.json<{ token: string; id: string }>([
      ...["keys", "create", "--scope", "api", "--desc", "short-lived", "--expires", "30d"],
    ]);
    expect((await ask("/v1/models", made.token)).status).toBe(200);
    const { output } = await cloud.call(["keys", "list"]);
    expect(output).toContain("short-lived");
    expect(output).not.toContain(made.token);
    expect(await cloud.call(["keys", "revoke", made.id])).toMatchObject({ code: 0 });
    const refused = await ask("/v1/models", made.token);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error_type: "auth_invalid" });
  });

  test("for another app get 403, and reading keys cannot write", async () => {
    const other = await cloud.createKey("--app", "other");
    expect((await ask("/v1/models", other)).status).toBe(403);
    const reader = await cloud.json<{ token: string }>(["keys", "create", "--scope", "api:read"]);
    expect((await ask("/v1/models", reader.token)).status).toBe(200);
    const written = await fetch(`${url}/v1/completions`, {
      method: "POST",
      headers: { authorization: `Key ${reader.token}`, "content-type": "application/json" },
      body: "{}",
    });
    expect(written.status).toBe(403);
  });

  test("are replaced by rotating, and the old key works for a while", async () => {
    const made = await cloud.json<{ token: string; id: string }>([
      "keys",
      "create",
      "--scope",
      "api",
    ]);
    const next = await cloud.json<{ token: string; id: string }>([
      ...["keys", "rotate", made.id, "--grace", "1h"],
    ]);
    expect(next.token).not.toBe(made.token);
    expect((await ask("/v1/models", next.token)).status).toBe(200);
    expect((await ask("/v1/models", made.token)).status).toBe(200);
    const { errors } = await cloud.call(["keys", "rotate", next.id, "--grace", "1h"]);
    expect(errors).toContain(`The old key ${next.id} stays valid for about an hour.`);
  });

  test("say when they expire", async () => {
    const { errors } = await cloud.call(["keys", "create", "--scope", "api", "--expires", "1h"]);
    // Less than an hour by the time it is printed.
    expect(errors).toMatch(
      /for all apps of main; it expires (about an hour|59 minutes) from now\. It is shown only once\./,
    );
  });

  test("are printed alone for use in a shell", async () => {
    const { output } = await cloud.call(["keys", "create", "--scope", "api", "--quiet"]);
    expect(output).toMatch(/^dk_\S+\n$/);
  });
});

describe("logs", () => {
  test("are searched, and followed until Ctrl+C", async () => {
    const { output } = await cloud.call(["logs", "app", "--search", "hello from two"]);
    expect(output).toContain("hello from two");
    const { code, output: json } = await cloud.call(["logs", "app", "--lines", "5", "--json"]);
    expect(code).toBe(0);
    for (const line of json.trim().split("\n")) {
      expect(JSON.parse(line)).toMatchObject({ app: "app", text: expect.any(String) });
    }
    const following = cloud.start(["logs", "app", "-f", "--lines", "1"]);
    await until(following.output, (text) => text !== "");
    const before = following.output();
    expect(await cloud.call(["apps", "rollout", "app"])).toMatchObject({ code: 0 });
    await until(following.output, (text) => text.slice(before.length).includes("hello from two"));
    following.child.kill("SIGINT");
    expect(await following.ended).toMatchObject({ code: 130 });
  });

  test("of the server say what it did and why", async () => {
    const { output } = await cloud.call(["logs", "app", "--events"]);
    expect(output).toContain(second);
  });
});

describe("variables and secrets", () => {
  test("reach new replicas and are never printed", async () => {
    await cloud.json(["secrets", "set", "HUB_TOKEN=top-secret-value"]);
    const { output } = await cloud.call(["secrets", "list"]);
    expect(output).toContain("HUB_TOKEN");
    expect(output).not.toContain("top-secret-value");
    await deploy("--secret", "HUB_TOKEN", "--env", "COLOUR=green");
    await cloud.json(["env", "set", "app", "SHAPE=round"]);
    expect(await cloud.call(["apps", "rollout", "app"])).toMatchObject({ code: 0 });
    const names = ["HUB_TOKEN", "COLOUR", "SHAPE"].map((name) => `name=${name}`).join("&");
    const reply = await ask(`/environment?${names}`);
    expect(await reply.json()).toEqual({
      HUB_TOKEN: "top-secret-value",
      COLOUR: "green",
      SHAPE: "round",
    });
    const shown = await cloud.call(["apps", "show", "app", "--json"]);
    expect(shown.output).not.toContain("top-secret-value");
    const { output: text } = await cloud.call(["apps", "show", "app"]);
    expect(text).toMatch(/^ {2}Variables +COLOUR, SHAPE \(set by env set\)$/m);
    await deploy("--unset", "HUB_TOKEN", "--unset", "COLOUR");
  });
});

describe("variables of an earlier deployment", () => {
  const read =
    'import os\nREAD = [os.environ.get(name) for name in ["COLOUR", "PACE", "API_TOKEN"]]\n';
  const deployKept = async (words: readonly string[] = [], environment = {}) =>
    await cloud.json<{ variables: VariableChanges }>(
      ["deploy", "kept.py", "--app-name", "kept", "--auth", "public", ...words],
      { environment },
    );
  const seen = async () => {
    const names = ["COLOUR", "PACE", "API_TOKEN", "HUB_TOKEN"].map((name) => `name=${name}`);
    const reply = await fetch(`${url.replace(/app$/, "kept")}/environment?${names.join("&")}`);
    return await reply.json();
  };

  beforeAll(async () => {
    await cloud.json(["secrets", "set", "HUB_TOKEN=top-secret-value"]);
    cloud.write("kept.py", read + fakeServerScript());
    const words = ["--env", "COLOUR=green", "--secret", "HUB_TOKEN"];
    const first = await deployKept([...words, "--env", "API_TOKEN=own-secret"], { PACE: "slow" });
    const added = ["API_TOKEN", "COLOUR", "HUB_TOKEN", "PACE"];
    expect(first.variables).toEqual({ kept: [], added, changed: [], removed: [] });
  });
  afterAll(async () => await cloud.json(["apps", "delete", "kept"]));

  test("stay when it is deployed again, and are listed without values of secrets", async () => {
    const again = ["deploy", "kept.py", "--app-name", "kept", "--auth", "public"];
    const { code, output } = await cloud.call([...again, "--max-concurrency", "2"]);
    expect(code).toBe(0);
    expect(output).toContain(
      "  Env   kept API_TOKEN (secret), COLOUR=green, HUB_TOKEN (secret), PACE=slow\n",
    );
    expect(await seen()).toEqual({
      COLOUR: "green",
      PACE: "slow",
      API_TOKEN: "own-secret",
      HUB_TOKEN: "top-secret-value",
    });
    expect(await deployKept(["--max-concurrency", "2"])).toMatchObject({ status: "no_change" });
  });

  test("give way to flags and to the shell, and go with --unset; a rollback restores them", async () => {
    const unset = ["--unset", "PACE", "--unset", "HUB_TOKEN"];
    const words = ["--env", "API_TOKEN=another", ...unset];
    const changed = await deployKept(words, { COLOUR: "blue", PACE: "fast" });
    expect(changed.variables).toEqual({
      ...{ kept: [], added: [], changed: ["API_TOKEN", "COLOUR"], removed: ["HUB_TOKEN", "PACE"] },
    });
    const after = { COLOUR: "blue", PACE: null, API_TOKEN: "another", HUB_TOKEN: null };
    expect(await seen()).toEqual(after);
    expect(await cloud.call(["rollback", "kept"])).toMatchObject({ code: 0 });
    expect(await seen()).toMatchObject({ PACE: "slow", API_TOKEN: "own-secret" });
    // The next deployment goes on from there.
    const { variables } = await deployKept(["--env", "COLOUR=red"]);
    expect(variables).toMatchObject({ kept: ["API_TOKEN", "HUB_TOKEN", "PACE"] });
    const both = await cloud.call(["deploy", "kept.py", "--env", "A=1", "--unset", "A"]);
    expect(both).toMatchObject({ code: 2, errors: expect.stringContaining("A is both set") });
  });

  test("reach a script that does not read a kept secret only with a yes", async () => {
    cloud.write("kept.py", `# another\n${fakeServerScript()}`);
    const refused = await cloud.call(["deploy", "kept.py", "--app-name", "kept"]);
    expect(refused).toMatchObject({
      code: 5,
      errors: expect.stringContaining(
        "HUB_TOKEN, API_TOKEN are secrets of the active revision that the new script does not read. Use --keep-secrets to keep them, or --unset HUB_TOKEN --unset API_TOKEN.",
      ),
    });
    const kept = await deployKept(["--keep-secrets", "--unset", "NO_SUCH"]);
    expect(kept).toMatchObject({
      variables: { kept: ["API_TOKEN", "COLOUR", "HUB_TOKEN", "PACE"] },
      warnings: ["NO_SUCH is not set by an earlier deployment, so --unset has no effect."],
    });
    expect(await seen()).toMatchObject({ HUB_TOKEN: "top-secret-value", COLOUR: "red" });
  });
});

describe("variables that a script reads by a list of names", () => {
  const deployTone = async (tone: string, ...words: string[]) =>
    await cloud.json<{ revision: string; status: string; warnings: string[] }>(
      ["deploy", "tone.py", "--app-name", "tone", ...words],
      { environment: { TONE: tone } },
    );

  test("make another revision when a value changes, and only then", async () => {
    const head = 'import os\nFOUND = {name: os.environ.get(name) for name in ["TONE", "PACE"]}\n';
    const more =
      "import secret_names\nMORE = {name: os.environ[name] for name in secret_names.ALL}\n";
    cloud.write("secret_names.py", "ALL = []\n");
    cloud.write("tone.py", head + more + fakeServerScript());
    const first = await deployTone("warm");
    expect(first.warnings).toEqual([
      "tone.py:2 reads PACE, which is not set. Use --env PACE=VALUE.",
      expect.stringMatching(/^tone\.py:4 reads environment variables whose names .*: MORE/),
    ]);
    expect(await deployTone("warm")).toMatchObject({ status: "no_change" });
    const second = await deployTone("cold");
    expect(second.revision).not.toBe(first.revision);
    const flag = await deployTone("cold", "--env", "PACE=slow");
    expect(flag.revision).not.toBe(second.revision);
    const reply = await fetch(`${url.replace(/app$/, "tone")}/environment?name=TONE&name=PACE`, {
      headers: { authorization: `Key ${key}` },
    });
    expect(await reply.json()).toEqual({ TONE: "cold", PACE: "slow" });
    await cloud.json(["apps", "delete", "tone"]);
  });
});

describe("a long deployment", () => {
  interface Shown {
    activeRevision: string;
    rollout?: { revision: string };
  }
  const show = async () => await cloud.json<Shown>(["apps", "show", "app"]);
  /** It does not start before the file `booting` goes. */
  const slowScript = (name: string) =>
    fakeServerScript({
      words: `"serve", "${name}", "--boot-while", ${JSON.stringify(cloud.write("booting", ""))}`,
    });
  const letStart = () => rmSync(path.join(cloud.folder, "booting"));

  test.each(["SIGINT", "SIGTERM"] as const)(
    "continues when its command gets %s, and blocks another one meanwhile",
    async (signal) => {
      cloud.write("app.py", slowScript(`model-${signal}`));
      const deploying = cloud.start(["deploy", "app.py", "--app-name", "app"]);
      const { rollout } = await until(show, (app) => app.rollout !== undefined);
      deploying.child.kill(signal);
      const left = await deploying.ended;
      expect(left).toMatchObject({ code: 130, output: "" });
      expect(left.errors).toContain("The deployment continues");
      cloud.write("app.py", slowScript("model-other"));
      expect(await cloud.call(["deploy", "app.py", "--app-name", "app"])).toMatchObject({
        code: 5,
      });
      letStart();
      await until(show, (app) => app.activeRevision === rollout?.revision);
      expect(await (await ask()).json()).toMatchObject({ data: [{ id: `model-${signal}` }] });
    },
  );

  test("is waited for on request, and verified in any case", async () => {
    cloud.write("app.py", slowScript("model-detached"));
    const begun = await cloud.json<{ revision: string; status: string }>([
      ...["deploy", "app.py", "--app-name", "app", "--detach"],
    ]);
    expect(begun.status).toBe("rolling_out");
    expect((await show()).activeRevision).not.toBe(begun.revision);
    letStart();
    await until(show, (app) => app.activeRevision === begun.revision);
  });

  test("stops the old replica first on request, and callers wait", async () => {
    cloud.write("app.py", slowScript("model-recreated"));
    const words = ["deploy", "app.py", "--app-name", "app", "--strategy", "recreate"];
    const deploying = cloud.start(words);
    await until(show, (app) => app.rollout !== undefined);
    const asked = ask();
    letStart();
    const reply = await asked;
    expect(reply.status).toBe(200);
    expect(await deploying.ended).toMatchObject({ code: 0 });
    expect(await (await ask()).json()).toMatchObject({ data: [{ id: "model-recreated" }] });
  });
});

describe("an app", () => {
  test("keeps its scaling settings across deployments", async () => {
    const words = ["apps", "scale", "app", "--max-concurrency", "3", "--keep-alive", "2m"];
    expect(await cloud.json(words)).toMatchObject({
      scale: { maxConcurrency: 3, keepAliveMs: 120_000 },
    });
    cloud.write("app.py", `# changed\n${fakeServerScript()}`);
    await deploy();
    expect(await cloud.json(["apps", "show", "app"])).toMatchObject({
      scale: { maxConcurrency: 3 },
    });
    expect(await cloud.json(["apps", "scale", "app", "--reset"])).toMatchObject({
      scale: { maxConcurrency: 1 },
    });
  });

  test("can be paused, resumed and deleted, and its errors say so", async () => {
    // The gateway learns of each change from the control plane, after the command has ended.
    const askUntil = async (status: number) =>
      await until(
        () => ask(),
        (reply) => reply.status === status,
      );
    await cloud.json(["apps", "pause", "app"]);
    const paused = await askUntil(503);
    expect(await paused.json()).toMatchObject({ error_type: "app_paused" });
    await cloud.json(["apps", "resume", "app"]);
    await askUntil(200);
    await cloud.json(["apps", "delete", "app"]);
    await askUntil(410);
    // Its replica takes a moment to exit.
    await until(
      () => cloud.json<{ apps: unknown[] }>(["apps", "list"]),
      ({ apps }) => apps.length === 0,
    );
  });
});

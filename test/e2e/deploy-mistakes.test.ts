// Errors in scripts: reasons and exit codes; the running app stays.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CloudHome, fakeServerScript } from "../support/cloud-home.ts";

let cloud: CloudHome;

beforeAll(async () => {
  cloud = await CloudHome.create();
});
afterAll(async () => await cloud.remove());

async function deploy(reference: string, ...words: string[]) {
  return await cloud.call(["deploy", reference, "--app-name", "app", ...words]);
}

const head = "import deployctl\n\n\n@deployctl.app(port=8000)\ndef serve():\n";

describe("an unreadable script", () => {
  test("does not exist: exit 2, naming the file", async () => {
    const { code, errors } = await deploy("nowhere.py::serve");
    expect(code, errors).toBe(2);
    expect(errors).toContain("nowhere.py");
  });

  test("has no such function: exit 2, listing its functions", async () => {
    cloud.write("app.py", fakeServerScript());
    const { code, errors } = await deploy("app.py::missing");
    expect(code, errors).toBe(2);
    expect(errors).toContain("missing");
    expect(errors).toContain("serve");
  });

  test("is not Python: exit 2 with file, line and source line", async () => {
    cloud.write(
      "broken.py",
      "import deployctl\n\n@deployctl.app(port=8000)\ndef serve(:\n    pass\n",
    );
    const { code, errors } = await deploy("broken.py::serve");
    expect(code, errors).toBe(2);
    expect(errors).toContain("broken.py:4");
    expect(errors).toContain("def serve(:");
  });

  test.each([["Upper_Case"], ["a--b"], ["-a"], ["a".repeat(64)], ["../etc"]])(
    "gets the invalid app name %s",
    async (name) => {
      cloud.write("app.py", fakeServerScript());
      const { code, errors } = await cloud.call(["deploy", "app.py", `--app-name=${name}`]);
      expect(code, errors).toBe(2);
      expect(errors).toMatch(/^Error: /m);
    },
  );
});

describe("a script that fails to start, after one that works", () => {
  let url: string;
  let key: string;
  let revision: unknown;

  beforeAll(async () => {
    cloud.write("app.py", fakeServerScript());
    const first = await cloud.json<{ url: string; revision: string }>([
      ...["deploy", "app.py::serve", "--app-name", "app"],
    ]);
    url = first.url;
    revision = first.revision;
    key = await cloud.createKey();
  });

  /** Checks that the previous revision still runs. */
  async function expectOldOne(): Promise<void> {
    const { activeRevision } = await cloud.json(["apps", "show", "app"]);
    expect(activeRevision).toBe(revision);
    const reply = await fetch(`${url}/v1/models`, { headers: { authorization: `Key ${key}` } });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("x-dctl-revision")).toBe(revision);
  }

  test.each([
    ["imports a missing module", `import no_such_module\n${head}    pass\n`, "no_such_module"],
    ["returns at once", `${head}    print("nothing to do")\n`, "return"],
    [
      "calls a missing program",
      `import subprocess\n${head}    subprocess.run(["no-such-server", "--port", "8000"])\n`,
      "no-such-server",
    ],
  ])("it %s: exit 6 with the reason", async (_what, text, reason) => {
    cloud.write("app.py", text);
    const { code, output, errors } = await deploy("app.py::serve");
    expect(code, errors).toBe(6);
    expect(errors).toMatch(/^Error: /m);
    expect(errors).toContain(reason);
    expect(output).toBe("");
    await expectOldOne();
  });

  test("it raises: exit 6 with the reason, and the command that shows the log", async () => {
    cloud.write("app.py", `${head}    raise ValueError("out of milk")\n`);
    const { code, output: address, errors } = await deploy("app.py::serve");
    expect(code, errors).toBe(6);
    expect(errors).toMatch(/^Error: /m);
    expect(errors).toContain("out of milk");
    expect(address).toBe("");
    const [, words = ""] =
      /stays active\. Run `deployctl (logs .*)` for its log\.$/m.exec(errors) ?? [];
    const { output } = await cloud.call(words.split(" "));
    expect(output, errors).toContain("ValueError: out of milk");
    expect(output).not.toContain("is ready after");
    await expectOldOne();
  });

  test("never opens its port: exit 7 after the start-up timeout", async () => {
    cloud.write(
      "app.py",
      `import time\n${head}    print("thinking", flush=True)\n    time.sleep(600)\n`,
    );
    const { code, errors } = await deploy("app.py::serve", "--startup-timeout", "2s");
    expect(code, errors).toBe(7);
    expect(errors).toContain("thinking");
    await expectOldOne();
  });

  test("fails its smoke test: exit 6", async () => {
    cloud.write("app.py", `# another revision\n${fakeServerScript()}`);
    const { code, errors } = await deploy("app.py::serve", "--smoke", "GET /status/418");
    expect(code, errors).toBe(6);
    expect(errors).toContain("418");
    await expectOldOne();
  });

  test("the error is the same in JSON", async () => {
    cloud.write("app.py", `import no_such_module\n${head}    pass\n`);
    const { code, output } = await deploy("app.py::serve", "--json");
    expect(code).toBe(6);
    const { error } = JSON.parse(output) as { error: Record<string, unknown> };
    expect(error).toMatchObject({ code: expect.stringMatching(/^CLOUD_/), exitCode: 6 });
  });
});

describe("invalid arguments", () => {
  test.each([
    [["apps", "show", "nobody"], 3],
    [["rollback", "nobody"], 3],
    [["apps", "delete", "nobody"], 3],
    [["keys", "revoke", "nobody"], 3],
    [["runners", "kill", "nobody"], 3],
    [["runners", "logs", "nobody"], 3],
    [["keys", "create"], 2],
    [["apps", "scale", "app"], 2],
    [["status", "--profile", "nobody"], 3],
    [["status", "--server", "http://127.0.0.1:1", "--key", "dk_x"], 8],
    [["status", "--server", "http://127.0.0.1:1"], 4],
    [["status", "--state-dir", "/nowhere/at/all"], 8],
  ])("%j: exit %i, one sentence, empty standard output", async (words, expected) => {
    const { code, output, errors } = await cloud.call(words);
    expect(code, errors).toBe(expected);
    expect(output).toBe("");
    expect(errors).toMatch(/^Error: .+\n$/);
  });
});

describe("an engine that cannot be used", () => {
  test.each([
    [["ray"], 2, "needs --address"],
    [["ray", "--address", "10.0.0.5:8265"], 2, "is not a web address"],
    [["ray", "--address", "http://127.0.0.1:1"], 2, "needs --token-file"],
    [["moon"], 2, "There is no engine 'moon'"],
    // The server of the tests above is running.
    [["process"], 5, "The server is running"],
  ])("%j: exit %i", async (words, expected, sentence) => {
    await cloud.call(["up"]);
    const { code, errors } = await cloud.call(["engine", "use", ...words]);
    expect(code, errors).toBe(expected);
    expect(errors).toContain(sentence);
  });
});

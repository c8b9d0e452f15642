// modelctl keys, and a server that is reachable from other machines and requires them.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Home, type Started } from "../support/command-line.ts";
import { processesOfHome } from "../support/processes.ts";
import { until } from "../support/until.ts";

let home: Home;
beforeEach(async () => {
  home = await Home.create();
});
afterEach(async () => await home.remove());

const printed = (output: string) => ({ code: 0, output, errors: "" });

/** Returns the content of all files in the user's folders. */
function everyFile(): string {
  return readdirSync(home.folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(home.folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, "latin1"))
    .join("\n");
}

describe("a key", () => {
  test("is printed once, listed without its secret, and revoked", async () => {
    expect((await home.call(["keys", "list"])).output).toMatch(/^ID +NAME +ROLE +STATE/);
    const made = await home.call(["keys", "create", "--name", "ci", "--expires", "30d"]);
    expect(made).toMatchObject({ code: 0, output: expect.stringMatching(/^mk_\w{61}\n$/) });
    expect(made.errors).toMatch(/^Key \w{12} \(ci\) with the role infer; it expires 4 weeks/);
    const token = made.output.trim();
    const id = token.slice(3, 15);
    expect(everyFile()).not.toContain(token.slice(15, 58));
    const listed = await home.call(["keys", "list"]);
    expect(listed.output).toMatch(new RegExp(`^${id} +ci +infer +active `, "m"));
    expect(listed.output).not.toContain(token.slice(15));
    expect(await home.call(["keys", "revoke", id])).toEqual(printed(`revoked key ${id}\n`));
    expect((await home.call(["keys", "list"])).output).toMatch(/ infer +revoked /);
  });

  test("is announced with its time in lower case", async () => {
    const made = await home.call(["keys", "create", "--expires", "1h"]);
    expect(made.errors).toContain("; it expires about an hour from now. ");
  });

  test("is printed as JSON with --json", async () => {
    const made = await home.call(["keys", "create", "--role", "manage", "--json"]);
    const key = JSON.parse(made.output) as Record<string, unknown>;
    expect(key).toMatchObject({ role: "manage", state: "active", expiresAt: null });
    expect(String(key.token)).toMatch(/^mk_/);
    const listed = JSON.parse((await home.call(["keys", "list", "--json"])).output) as unknown[];
    expect(listed).toEqual([{ ...key, token: undefined }].map(({ token, ...rest }) => rest));
  });

  test.each([
    [["keys"], 2, "create, list, revoke"],
    [["keys", "destroy"], 2, "create, list, revoke"],
    [["keys", "create", "--role", "admin"], 2, "infer or manage"],
    [["keys", "create", "--expires", "yesterday"], 2, "30d"],
    [["keys", "create", "--expires", "0d"], 2, "30d"],
    [["keys", "create", "--expires", "-1"], 2, "30d"],
    [["keys", "create", "ci"], 2, "'ci'"],
    [["keys", "list", "--role", "infer"], 2, "Unknown flag --role"],
    [["keys", "revoke"], 2, "needs ID"],
    [["keys", "revoke", "abcdefghijkl"], 3, 'No key with the id "abcdefghijkl"'],
  ])("%j exits with %i", async (words, code, hint) => {
    const outcome = await home.call(words);
    expect(outcome).toMatchObject({ code, output: "" });
    expect(outcome.errors).toMatch(/^Error: .*\n$/);
    expect(outcome.errors).toContain(hint);
  });
});

describe("a public server", () => {
  const everywhere = ["serve", "--host", "0.0.0.0", "--port"];
  const listening = async ({ child }: Started) => {
    let text = "";
    child.stderr?.on("data", (piece: string) => {
      text += piece;
    });
    await until(
      () => text,
      (seen) => seen.includes("listening"),
    );
    return text;
  };
  const status = async (headers: Record<string, string> = {}) =>
    (await fetch(`${home.url}/v1/models`, { headers })).status;

  test("does not start without a key and says how to start it", async () => {
    const outcome = await home.run([...everywhere, String(home.port)]);
    expect(outcome).toMatchObject({ code: 4, output: "" });
    expect(outcome.errors).toMatch(/^Error: 0\.0\.0\.0:\d+ is open to other machines/);
    expect(outcome.errors).toContain("modelctl keys create");
    expect(processesOfHome(home.folder)).toEqual([]);
  });

  test("requires a key, accepts a new one at once, and lets local commands in", async () => {
    await home.call(["keys", "create"]);
    const server = home.start([...everywhere, String(home.port)]);
    expect(await listening(server)).toContain("need a key");
    expect(await status()).toBe(401);
    const token = (await home.call(["keys", "create"])).output.trim();
    expect(await status({ authorization: `Bearer ${token}` })).toBe(200);
    await home.call(["keys", "revoke", token]);
    expect(await status({ authorization: `Bearer ${token}` })).toBe(401);
    const answer = await home.call(["run", "tiny", "What is the capital of France?"]);
    expect(answer).toEqual(printed("The capital of France is Paris.\n"));
    // As from another machine, without the server's owner token.
    const stranger = await Home.create();
    try {
      const { output: key } = await home.call(["keys", "create"]);
      const words = ["run", "tiny", "What is the capital of France?", "--connect", home.url];
      expect(await stranger.call(words)).toMatchObject({ code: 4, output: "" });
      expect(await stranger.call([...words, "--key", key.trim()])).toEqual(
        printed("The capital of France is Paris.\n"),
      );
    } finally {
      await stranger.remove();
    }
    server.child.kill("SIGTERM");
    expect((await server.ended).code).toBe(0);
  });

  test("can be opened to all, and says so", async () => {
    const server = home.start([...everywhere, String(home.port), "--insecure-no-key"]);
    expect(await listening(server)).toMatch(/^Anybody who can reach 0\.0\.0\.0:\d+ can use/m);
    expect(await status()).toBe(200);
    server.child.kill("SIGTERM");
    await server.ended;
  });
});

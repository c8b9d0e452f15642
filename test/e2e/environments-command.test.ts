// Environments: separate apps, secrets and keys under the same names, and the promotion from one to another.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CloudHome, fakeServer } from "../support/cloud-home.ts";

let cloud: CloudHome;
const staging = ["--environment", "staging"];

beforeAll(async () => {
  cloud = await CloudHome.create();
  await cloud.json(["environments", "create", "staging", "--description", "before release"]);
  cloud.write(
    "app.py",
    `import os, subprocess, sys

import deployctl


@deployctl.app(port=8000, secrets=["TOKEN"], keep_alive=3600)
def serve():
    subprocess.run([sys.executable, ${JSON.stringify(fakeServer)}, "--port", "8000"])
`,
  );
  await cloud.json(["secrets", "set", "TOKEN=of-staging", ...staging]);
});
afterAll(async () => await cloud.remove());

async function tokenOf(app: string, key: string): Promise<unknown> {
  const url = `http://127.0.0.1:${cloud.gatewayPort}/local/${app}/environment?name=TOKEN`;
  const reply = await fetch(url, { headers: { authorization: `Key ${key}` } });
  return reply.status === 200 ? (await reply.json()).TOKEN : reply.status;
}

describe("an environment", () => {
  test("has its own app under its own address, with its own secrets", async () => {
    const deployed = await cloud.json(["deploy", "app.py", "--app-name", "chat", ...staging]);
    expect(deployed).toMatchObject({
      app: "local/chat--staging",
      url: `http://127.0.0.1:${cloud.gatewayPort}/local/chat--staging`,
    });
    expect(await cloud.json(["secrets", "list", ...staging])).toMatchObject({
      secrets: [{ name: "TOKEN", environment: "staging" }],
    });
    expect(await cloud.json(["secrets", "list"])).toEqual({ secrets: [] });
    const failed = await cloud.call(["deploy", "app.py", "--app-name", "chat"]);
    expect(failed.errors).toContain("TOKEN");
    expect(failed.code).not.toBe(0);
    expect(await cloud.json(["apps", "show", "chat", ...staging])).toMatchObject({
      app: "chat--staging",
    });
    const environment = { DEPLOYCTL_ENVIRONMENT: "staging" };
    expect(await cloud.json(["apps", "show", "chat"], { environment })).toMatchObject({
      app: "chat--staging",
    });
  });

  test("receives promotions with the secrets of the target, and keys of one do not fit the other", async () => {
    await cloud.json(["secrets", "set", "TOKEN=of-main"]);
    const promoted = await cloud.json(["environments", "promote", "chat", "staging", "main"]);
    expect(promoted).toMatchObject({ app: "local/chat", status: "active" });
    const [ofMain, ofStaging] = [await cloud.createKey(), await cloud.createKey(...staging)];
    const ofApp = await cloud.createKey("--app", "chat", ...staging);
    // The gateway learns of new keys from the control plane.
    await expect.poll(async () => await tokenOf("chat--staging", ofApp)).toBe("of-staging");
    expect(await tokenOf("chat--staging", ofStaging)).toBe("of-staging");
    expect(await tokenOf("chat", ofMain)).toBe("of-main");
    expect(await tokenOf("chat", ofStaging)).toBe(403);
    expect(await tokenOf("chat--staging", ofMain)).toBe(403);
    const { keys } = await cloud.json<{ keys: { apps: string[] }[] }>(["keys", "list", ...staging]);
    expect(keys.map(({ apps }) => apps)).toEqual(
      expect.arrayContaining([["*--staging"], ["chat--staging"]]),
    );
    const { revisions } = await cloud.json<{ revisions: { annotations: object }[] }>([
      ...["apps", "list-rev", "chat"],
    ]);
    expect(revisions[0]?.annotations).toMatchObject({
      promoted_from: expect.stringMatching(/^r0001-\w+ of staging$/),
    });
  });

  test("lists its apps and runners alone", async () => {
    expect(await cloud.json(["environments", "list"])).toMatchObject({
      environments: [
        { name: "main", apps: 1 },
        { name: "staging", apps: 1, description: "before release" },
      ],
    });
    const names = async (...words: string[]) =>
      (await cloud.call([...words, "--quiet"])).output.trim().split("\n");
    expect(await names("apps", "list", ...staging)).toEqual(["local/chat--staging"]);
    expect(await names("apps", "list", "--environment", "main")).toEqual(["local/chat"]);
    expect(await names("runners", "list", ...staging)).toHaveLength(1);
    expect(await names("runners", "list")).toHaveLength(2);
  });
});

test("keys say for which apps they are", async () => {
  const told = async (...words: string[]) =>
    (await cloud.call(["keys", "create", "--scope", ...words])).errors;
  expect(await told("api")).toContain("with scope api for all apps of main;");
  expect(await told("api", ...staging)).toContain("for all apps of staging;");
  expect(await told("api", "--app", "chat", ...staging)).toContain("for chat--staging;");
  expect(await told("admin")).toContain("for all apps;");
  expect((await cloud.call(["keys", "list"])).output).toContain("all apps of staging");
});

test("completion offers the names of the environment that is given", async () => {
  const offered = async (...words: string[]) =>
    (await cloud.call(["__complete", "--", ...words, ""])).output.trim().split("\n");
  await cloud.json(["secrets", "set", "ONLY_STAGING=x", ...staging]);
  expect(await offered("secrets", "unset")).toEqual(["TOKEN"]);
  expect(await offered("secrets", "unset", ...staging)).toEqual(["ONLY_STAGING", "TOKEN"]);
  expect(await offered("deploy", "app.py", ...staging, "--secret")).toContain("ONLY_STAGING");
  expect(await offered("apps", "show", ...staging)).toEqual(["chat--staging"]);
  expect(await offered("apps", "show", "chat", "--environment")).toEqual(["main", "staging"]);
  await cloud.json(["secrets", "unset", "ONLY_STAGING", ...staging]);
});

describe("is refused:", () => {
  test.each([
    ["an unknown environment", ["apps", "show", "chat", "--environment", "stagin"], 3, "staging?"],
    ["a list of one", ["apps", "list", "--environment", "stagin"], 3, "staging?"],
    ["keys of one", ["keys", "list", "--environment", "stagin"], 3, "staging?"],
    ["replicas of one", ["runners", "list", "--environment", "stagin"], 3, "staging?"],
    ["usage of one", ["usage", "--environment", "stagin"], 3, "staging?"],
    ["secrets of one", ["secrets", "list", "--environment", "stagin"], 3, "staging?"],
    ["a key of one", ["keys", "create", "--scope", "api", "--environment", "x"], 3, "not exist"],
    ["a deployment to one", ["deploy", "app.py", "--app-name", "chat--stagin"], 3, "staging?"],
    ["a promotion to one", ["environments", "promote", "chat", "staging", "mian"], 3, "main?"],
    ["a promotion to itself", ["environments", "promote", "chat", "main", "main"], 5, "already"],
    ["two environments", ["apps", "show", "chat--staging", "--environment", "main"], 2, "not in"],
    ["three parts", ["apps", "show", "chat--staging--two"], 2, "hyphens"],
    ["an invalid name", ["environments", "create", "Staging!"], 2, "single hyphens"],
    ["two hyphens", ["environments", "create", "a--b"], 2, "single hyphens"],
    ["one that exists", ["environments", "create", "staging"], 5, "exists already"],
    ["main", ["environments", "create", "main"], 5, "exists already"],
    ["the end of main", ["environments", "delete", "main"], 5, "cannot be deleted"],
    ["the end of one with apps", ["environments", "delete", "staging"], 5, "chat--staging"],
    ["the end of an unknown one", ["environments", "delete", "stagin"], 3, "staging?"],
  ])("%s", async (_what, words, code, reason) => {
    const refused = await cloud.call(words);
    expect(refused, refused.errors).toMatchObject({ code, output: "" });
    expect(refused.errors).toContain(reason);
  });

  test("a secret that outlives its environment", async () => {
    await cloud.json(["environments", "create", "short"]);
    await cloud.json(["secrets", "set", "TOKEN=old", "--environment", "short"]);
    await cloud.json(["environments", "delete", "short"]);
    await cloud.json(["environments", "create", "short"]);
    expect(await cloud.json(["secrets", "list", "--environment", "short"])).toEqual({
      secrets: [],
    });
  });
});

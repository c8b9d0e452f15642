// Goal: scripts are found, problems are reported before a deployment, and a valid key is chosen.
// Method: real scripts in a temporary folder, read by the real Python; scripted answers of a server.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { drawToken } from "../../../source/api-keys/token.ts";
import { callKey, previewScale } from "../../../source/application/deploying/app-facts.ts";
import { findScripts, scriptTargets } from "../../../source/application/deploying/find-scripts.ts";
import {
  type PreflightCheck,
  type PreflightPlace,
  preflight,
} from "../../../source/application/deploying/preflight.ts";
import { prepareDeployment } from "../../../source/application/deploying/prepare-deployment.ts";
import { ProductError } from "../../../source/base/product-error.ts";
import type { KeyDocument, ServerStatus } from "../../../source/cloud/admin/documents.ts";
import { defaultScale } from "../../../source/cloud/app-config.ts";
import { cloudErrors } from "../../../source/cloud/errors.ts";
import { findFreePort } from "../../support/command-line.ts";

const one = '@deployctl.app(port=8000)\ndef serve():\n    subprocess.run(["no-such-program"])\n';
const head = "import os\nimport subprocess\nimport deployctl\n\n";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "before-deploying-"));
  mkdirSync(path.join(folder, "more"));
  mkdirSync(path.join(folder, ".hidden"));
  const files = {
    "deploy.py": head + one,
    "two.py": `${head}${one}\n${one.replace("serve", "other")}`,
    "needs.py": `${head}${one}MODEL = os.environ["BEFORE_DEPLOYING_MODEL"]\n`,
    "plain.py": "print('deployctl is not used')\n",
    "web.py": 'import modal\napp = modal.App("a")\n@app.function()\ndef serve(): pass\n',
    "notes.txt": one,
    "more/app.py": head.replace("deployctl", "fal") + one.replace("deployctl.app", "fal.function"),
    ".hidden/secret.py": head + one,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("scripts", () => {
  test("in a folder are those with something to deploy", async () => {
    const found = await findScripts(folder);
    expect(found.toSorted()).toEqual(["deploy.py", "more/app.py", "needs.py", "two.py", "web.py"]);
  });

  test("list what can be deployed", async () => {
    expect(await scriptTargets(path.join(folder, "deploy.py"))).toEqual(["serve"]);
    expect(await scriptTargets(path.join(folder, "two.py"))).toEqual(["serve", "other"]);
    await expect(scriptTargets(path.join(folder, "none.py"))).rejects.toMatchObject({
      code: "CLOUD_SCRIPT_MISSING",
    });
  });
});

test("a preview of scaling shows queued requests", () => {
  const scale = { ...defaultScale, maxConcurrency: 4, maxMultiplexing: 10 };
  expect([0, 8, 200].map((demand) => previewScale(scale, demand))).toEqual([
    { replicas: 0, queued: 0 },
    { replicas: 1, queued: 0 },
    { replicas: 4, queued: 160 },
  ]);
});

describe("checks before a launch", () => {
  const status: Partial<ServerStatus> = { baseUrl: "http://127.0.0.1:8480" };
  const answering = (keys: Partial<KeyDocument>[] = [], secrets: string[] = []) => ({
    status: async () => status as ServerStatus,
    keys: async () => keys as KeyDocument[],
    secrets: async () =>
      secrets.map((name) => ({ organisation: "local", environment: "main", name, updatedAt: 0 })),
  });
  const silent = async () => {
    throw new ProductError(cloudErrors.serverUnreachable, { message: "It does not answer." });
  };

  async function findings(
    script: string,
    place: Partial<PreflightPlace>,
    secretNames: string[] = [],
    appName = "tiny",
  ) {
    const file = path.join(folder, script);
    const { request, sizeBytes } = await prepareDeployment(
      {
        ...{ reference: file, appName, isStatic: true, includes: [] },
        config: { secretNames },
      },
      { step: () => {}, note: () => {}, warn: () => {} },
    );
    const checks: (readonly PreflightCheck[])[] = [];
    const prepared = Promise.resolve({ request, script: file, sizeBytes });
    const whole: PreflightPlace = {
      client: answering(),
      isLocal: true,
      stateFolder: folder,
      gateway: { host: "127.0.0.1", port: await findFreePort() },
      ...place,
    };
    const found = await preflight(prepared, whole, (told) => checks.push(told));
    // Each check is reported when it begins and when it ends.
    expect(checks[0]?.every((check) => check.findings === undefined)).toBe(true);
    expect(checks.at(-1)?.flatMap((check) => check.findings ?? [])).toEqual(found);
    return new Map(found.map((finding) => [finding.subject, finding]));
  }

  test("fail for a missing program and for a variable without a value, with advice", async () => {
    const found = await findings("needs.py", {});
    expect(found.get("programs")).toMatchObject({
      kind: "fault",
      sentence: expect.stringContaining("no-such-program"),
    });
    expect(found.get("variables")).toMatchObject({
      kind: "fault",
      sentence: expect.stringContaining("BEFORE_DEPLOYING_MODEL"),
    });
    expect(found.get("python")).toMatchObject({ kind: "ok" });
  });

  test("fail for secrets missing on the server, and mention a missing key for callers", async () => {
    const found = await findings("deploy.py", { client: answering([], ["HAS"]) }, ["HAS", "LACKS"]);
    expect(found.get("secrets")).toMatchObject({
      kind: "fault",
      sentence: "Missing secret on the server: LACKS.",
      hint: "deployctl secrets set LACKS=VALUE",
    });
    expect(found.get("key")).toMatchObject({ kind: "warning" });
    const key: Partial<KeyDocument> = { state: "active", apps: ["tiny"], description: "ci" };
    const keyed = await findings("deploy.py", { client: answering([key]) });
    expect(keyed.get("key")).toMatchObject({ kind: "ok", sentence: "ci may call it" });
  });

  test("look for secrets and keys of the app's environment", async () => {
    const asked: (string | undefined)[] = [];
    const ofMain: Partial<KeyDocument> = { state: "active", scope: "api", apps: [] };
    const client = {
      ...answering([ofMain]),
      secrets: async (environment?: string) => {
        asked.push(environment);
        return [];
      },
    };
    const found = await findings("deploy.py", { client }, ["LACKS"], "tiny--staging");
    expect(asked).toEqual(["staging"]);
    expect(found.get("secrets")).toMatchObject({
      hint: "deployctl secrets set LACKS=VALUE --environment staging",
    });
    expect(found.get("key")).toMatchObject({ kind: "warning" });
    const ofStaging = answering([{ ...ofMain, apps: ["*--staging"], description: "ci" }]);
    const keyed = await findings("deploy.py", { client: ofStaging }, [], "tiny--staging");
    expect(keyed.get("key")).toMatchObject({ kind: "ok", sentence: "ci may call it" });
  });

  test("need a free address for a server that is not started, and an answer from another's", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => new Promise<void>((resolve) => taken.close(() => resolve())));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const client = { ...answering(), status: silent };
    const found = await findings("deploy.py", { client, gateway: { host: "127.0.0.1", port } });
    expect(found.get("server")).toMatchObject({ kind: "ok" });
    const holder = process.platform === "linux" ? `.*\\(${process.pid}\\)` : "another program";
    const used = new RegExp(`^Address 127\\.0\\.0\\.1:${port} is already in use by ${holder}\\.$`);
    const sentence = expect.stringMatching(used);
    expect(found.get("port")).toMatchObject({ kind: "fault", sentence });
    const free = await findings("deploy.py", { client });
    expect(free.get("port")).toMatchObject({ kind: "ok" });
    const far = await findings("deploy.py", { client, isLocal: false });
    expect(far.get("server")).toMatchObject({ kind: "fault", sentence: "It does not answer." });
    expect(far.has("python")).toBe(false);
  });
});

describe("a key for a test call", () => {
  const app = { organisation: "local", app: "tiny", auth: "private" } as const;

  function server(keys: Partial<KeyDocument>[]) {
    const made: string[][] = [];
    return {
      made,
      keys: async () => keys as KeyDocument[],
      createKey: async ({ apps = [] }: { apps?: string[] | undefined }) => {
        made.push(apps);
        return { key: {} as KeyDocument, token: "dk_made" };
      },
    };
  }

  test("is the first that the app accepts, or is created for it", async () => {
    const [bad, good] = [drawToken("dk_"), drawToken("dk_")];
    const known: Partial<KeyDocument> = {
      organisation: "local",
      scope: "api",
      apps: [],
      state: "active",
    };
    const keys: Partial<KeyDocument>[] = [
      { ...known, id: bad.id, scope: "api:read" },
      { ...known, id: good.id },
    ];
    const having = server(keys);
    expect(await callKey(having, app, [undefined, "no token", bad.token, good.token])).toBe(
      good.token,
    );
    expect(having.made).toEqual([]);
    const unfit: Partial<KeyDocument>[] = [
      { state: "revoked" },
      { organisation: "acme" },
      { apps: ["other"] },
    ];
    for (const change of unfit) {
      const lacking = server([{ ...known, id: good.id, ...change }]);
      expect(await callKey(lacking, app, [good.token])).toBe("dk_made");
      expect(lacking.made).toEqual([["tiny"]]);
    }
    // A key without apps is for those of main.
    const staging = server([{ ...known, id: good.id }]);
    const there = { ...app, app: "tiny--staging" };
    expect(await callKey(staging, there, [good.token])).toBe("dk_made");
    const all = server([{ ...known, id: good.id, apps: ["*--staging"] }]);
    expect(await callKey(all, there, [good.token])).toBe(good.token);
  });

  test("is not needed for a public app", async () => {
    const asked = server([]);
    expect(await callKey(asked, { ...app, auth: "public" }, ["dk_x"])).toBeUndefined();
    expect(asked.made).toEqual([]);
  });
});

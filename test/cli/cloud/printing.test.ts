// Output of a deployment, during it and at its end.
import { describe, expect, test } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import { reasons } from "../../../source/cli/cloud/commands/apps.ts";
import { statusText } from "../../../source/cli/cloud/commands/server.ts";
import { DeployProgress } from "../../../source/cli/cloud/deploy-progress.ts";
import { callLines, deploySummary } from "../../../source/cli/cloud/deploy-summary.ts";
import { deployctlProgram } from "../../../source/cli/cloud/deployctl-program.ts";
import { followDeployment } from "../../../source/cli/cloud/follow-deployment.ts";
import { readCommandLine } from "../../../source/cli/program/read-command-line.ts";
import type {
  AppDocument,
  DeployEvent,
  DeployResult,
  ServerStatus,
} from "../../../source/cloud/admin/documents.ts";
import { defaultScale } from "../../../source/cloud/app-config.ts";
import { cloudErrors } from "../../../source/cloud/errors.ts";

const result: DeployResult = {
  app: "acme/chat",
  revision: "r0007-1a2b3c4d",
  status: "active",
  url: "https://models.example.org/acme/chat",
  auth: "private",
  api: { kind: "openai", model: "tiny" },
  cold_start_ms: 41_800,
  previous: "r0006-5e6f7a8b",
  warnings: [],
};

describe("the summary", () => {
  test("has the address, an example call, the log command, and how to undo", () => {
    const text = deploySummary(result, undefined);
    expect(text).toContain("acme/chat is live (r0007-1a2b3c4d, ready after 41.80 s)");
    expect(text).toContain(
      'curl https://models.example.org/acme/chat/v1/models -H "Authorization: Key $DEPLOYCTL_KEY"',
    );
    expect(text).toContain('"model":"tiny"');
    expect(text).toContain('base_url="https://models.example.org/acme/chat/v1",');
    expect(text).toContain(
      'default_headers={"Authorization": "Key " + os.environ["DEPLOYCTL_KEY"]},',
    );
    expect(text).toContain('defaultHeaders: { Authorization: "Key " + process.env.DEPLOYCTL_KEY }');
    expect(text).toContain("deployctl logs acme/chat -f");
    expect(text).toContain("deployctl rollback acme/chat (to r0006-5e6f7a8b)");
  });

  test("needs no key for a public app, and names a private authority", () => {
    const text = deploySummary(
      {
        ...{ ...result, auth: "public", previous: undefined },
        api: { kind: "openai", model: "it's" },
      },
      "/state/tls/ca.pem",
    );
    expect(text).not.toContain("DEPLOYCTL_KEY");
    expect(text).toContain("curl --cacert /state/tls/ca.pem https://");
    expect(text).toContain("it'\\''s");
    expect(text).toContain("no earlier revision");
  });

  test("of a server that cannot chat has a plain call, and no word of OpenAI", () => {
    const text = deploySummary({ ...result, api: { kind: "http" } }, undefined);
    expect(text).toContain(
      'curl https://models.example.org/acme/chat/ -H "Authorization: Key $DEPLOYCTL_KEY"\n',
    );
    expect(text).not.toMatch(/\/v1|OpenAI|messages/);
  });
});

test("the app list explains bad states below it", () => {
  const app: AppDocument = {
    ...{ organisation: "acme", app: "chat", url: "https://x/acme/chat", auth: "private" },
    ...{ state: "READY", reason: undefined, activeRevision: "r1", scale: defaultScale },
    api: { kind: "http" },
    ...{ overrides: [], isEphemeral: false, replicas: { wanted: 1, alive: 1, ready: 1 } },
    ...{ inFlight: 0, queued: 0, createdAt: 0, updatedAt: 0 },
  };
  expect(reasons([app])).toBe("");
  const bad: AppDocument = { ...app, app: "sick", state: "FAILED", reason: "No weights.\nNone." };
  expect(reasons([app, bad])).toBe("\nacme/sick: No weights. None.\n");
});

test("the status of a failed server says so", () => {
  const status: ServerStatus = {
    ...{ version: "1.2.3", processId: 1, startedAt: 0, baseUrl: "http://x", gateway: "http://x" },
    ...{ organisation: "acme", engine: "process", apps: 1, replicas: 0, isReady: true },
  };
  expect(statusText(status, 0)).not.toContain("Problem");
  const problem = "The state database cannot be written: database or disk is full.";
  expect(statusText({ ...status, problem }, 0)).toContain(`Problem: ${problem}`);
});

test("an unknown runner state is refused, listing the known ones", () => {
  const words = ["runners", "list", "--state", "sleeping"];
  expect(() => readCommandLine(deployctlProgram, words)).toThrow(
    expect.objectContaining({ exitCode: 2, hint: expect.stringContaining("idle, running") }),
  );
});

test("the calls of an app with its own endpoints are listed", () => {
  const api = { kind: "endpoints", paths: ["/"] } as const;
  expect(callLines({ url: result.url, auth: "public", api }, undefined)).toEqual([
    `curl ${result.url}/ -H 'Content-Type: application/json' -d '{}'`,
  ]);
});

class FakeStream {
  readonly isTTY = false;
  text = "";
  write(text: string): void {
    this.text += text;
  }
}

/** Clock that advances a second with each reading. */
function steadyClock() {
  let nowMs = 0;
  return { now: () => (nowMs += 1000), wallMs: () => nowMs };
}

function stream(...events: DeployEvent[]) {
  return async function* () {
    yield* events;
  };
}

const start: DeployEvent[] = [
  { kind: "phase", phase: "build", sentence: "nothing to install", elapsedMs: 0 },
  { kind: "phase", phase: "start", sentence: "starting a replica", elapsedMs: 1 },
  { kind: "log", text: "loading \u001b[31mshards\u001b[0m\n" },
  { kind: "warning", code: "w", sentence: "One request at a time." },
];

describe("deployment steps", () => {
  test("are written to a file one by one, with log and times", async () => {
    const file = new FakeStream();
    const progress = new DeployProgress(file, false, steadyClock());
    expect(await followDeployment(stream(...start, { kind: "done", result }), progress)).toBe(
      result,
    );
    expect(file.text).toBe(
      "build    nothing to install  1.00 s\n" +
        "  | loading \\u{1b}[31mshards\\u{1b}[0m\n" +
        "Warning: One request at a time.\n" +
        "start    starting a replica  1.00 s\n",
    );
  });

  test("are left out with --quiet", async () => {
    const file = new FakeStream();
    await followDeployment(
      stream(...start, { kind: "done", result }),
      new DeployProgress(file, true),
    );
    expect(file.text).toBe("");
  });

  test("of another attempt leave out the lines of the first, but not later", async () => {
    const trace = ["Traceback (most recent call last):", "RuntimeError: no weights"];
    const lines = (...texts: string[]): DeployEvent[] =>
      texts.map((text) => ({ kind: "log", text }));
    const again: DeployEvent = {
      kind: "warning",
      code: "start_repeated",
      sentence: "No weights. Retrying.",
    };
    const file = new FakeStream();
    const progress = new DeployProgress(file, false);
    const events = [...lines("process 1", ...trace), again, ...lines("process 2", ...trace)];
    await followDeployment(stream(...events, { kind: "done", result }), progress);
    expect(file.text).toBe(
      "  | process 1\n" +
        "  | Traceback (most recent call last):\n" +
        "  | RuntimeError: no weights\n" +
        "Warning: No weights. Retrying.\n" +
        "  | process 2\n",
    );
    progress.log("RuntimeError: no weights");
    expect(file.text).toMatch(/process 2\n {2}\| RuntimeError: no weights\n$/);
  });

  test("that fail throw the control plane's code and exit code", async () => {
    const failed: DeployEvent = {
      kind: "failed",
      code: "CLOUD_NO_CAPACITY",
      sentence: "It wants an H100.",
      exitCode: 9,
      reason: undefined,
      tail: ["loading \u001b[31mshards\u001b[0m", "no card"],
    };
    const file = new FakeStream();
    const progress = new DeployProgress(file, false);
    await expect(followDeployment(stream(...start, failed), progress)).rejects.toMatchObject({
      code: "CLOUD_NO_CAPACITY",
      exitCode: 9,
      message: "It wants an H100.",
    });
    // Lines that were shown live are not repeated.
    expect(file.text.match(/shards/g)).toHaveLength(1);
    expect(file.text).toMatch(/ {2}\| no card\n$/);
  });

  test("that are interrupted are no success, and continue without the command", async () => {
    const broken = new ProductError(cloudErrors.serverUnreachable, { message: "ECONNRESET" });
    async function* torn(...events: DeployEvent[]) {
      yield* events;
      throw broken;
    }
    for (const begin of [stream(...start), () => torn(...start)]) {
      const progress = new DeployProgress(new FakeStream(), false);
      await expect(followDeployment(begin, progress)).rejects.toMatchObject({
        exitCode: 8,
        hint: expect.stringContaining("to continue"),
      });
    }
    const progress = new DeployProgress(new FakeStream(), false);
    await expect(followDeployment(() => torn(), progress)).rejects.toBe(broken);
  });
});

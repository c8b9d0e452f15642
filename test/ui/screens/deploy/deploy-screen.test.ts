// Tests the way from a script to an app at 80x24 and back; nothing is sent before the launch, and no key
// waits for loading.
// Runs the whole program in an in-memory terminal with real scripts and a sample control plane, which can
// be slow or fail. For a real one see test/e2e/terminal-deploy.

import { Console } from "node:console";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { AsyncQueue } from "../../../../source/base/async-queue.ts";
import { ScreenDrafts } from "../../../../source/cli/cloud/screen-drafts.ts";
import { screenScripts } from "../../../../source/cli/cloud/screen-scripts.ts";
import type { DeployEvent, DeploymentRequest } from "../../../../source/cloud/admin/documents.ts";
import type { CloudAccess, PreflightFinding } from "../../../../source/ui/app/cloud-access.ts";
import { runApp } from "../../../../source/ui/app/run-app.tsx";
import { until } from "../../../support/until.ts";
import { keys, SizedTerminal } from "../../support/sized-terminal.ts";
import {
  SampleServer,
  sampleApp,
  sampleCloud,
  sampleEnvironment,
  sampleRevision,
} from "../console/sample-cloud.ts";
import { deployResult } from "./sample-answers.ts";

// The test runner's console lacks the class from which Ink creates its own.
console.Console ??= Console;

const right = "\u001b[C";

class DeployServer extends SampleServer {
  readonly requests: DeploymentRequest[] = [];
  deployment = new AsyncQueue<DeployEvent>();

  override async *deploy(request?: DeploymentRequest): AsyncGenerator<DeployEvent> {
    if (request !== undefined) this.requests.push(request);
    this.deployment = new AsyncQueue();
    yield* this.deployment;
  }
}

const ok: PreflightFinding = { subject: "server", kind: "ok", sentence: "ready" };

/** The test's own. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deploy-screen-"));
  // Runs after the screen is closed, which saves its draft.
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

let script: string;
beforeAll(() => {
  script = path.join(mkdtempSync(path.join(tmpdir(), "deploy-script-")), "chat.py");
  writeFileSync(
    script,
    `import os, deployctl

MODEL = os.environ.get("MODEL_NAME", "tiny")
TOKEN = os.environ.get("API_TOKEN")

@deployctl.app(port=8000, max_multiplexing=4, max_concurrency=2)
def serve():
    pass
`,
  );
});
afterAll(() => rmSync(path.dirname(script), { recursive: true }));

type Scripts = CloudAccess["scripts"];
const { inspect, targets, prepare, ...otherScripts } = screenScripts(() => {
  throw new Error("no server of this machine is asked here");
});
const known = new Map<string, Promise<unknown>>();

/** Reads a state of the script once for all tests, since each reading starts Python. */
async function readOnce<Result>(question: unknown, read: () => Promise<Result>): Promise<Result> {
  const key = JSON.stringify([question, readFileSync(script, "utf8")]);
  const reading = (known.get(key) as Promise<Result> | undefined) ?? read();
  known.set(key, reading);
  // It may have been cancelled.
  reading.catch(() => known.delete(key));
  return await reading;
}

const scripts: Scripts = {
  ...otherScripts,
  inspect: async (reference, options) =>
    await readOnce(reference, async () => await inspect(reference, options)),
  targets: async (file) => await readOnce({ file }, async () => await targets(file)),
  prepare: async (answers, server) =>
    await readOnce(answers, async () => await prepare(answers, server)),
};

interface Opened {
  readonly screen: SizedTerminal;
  readonly server: DeployServer;
  /** Ends the program, as closing its window does. */
  readonly leave: () => Promise<void>;
}

async function openDeploy(
  options: {
    isScreenReader?: boolean;
    findings?: readonly PreflightFinding[];
    change?: Partial<Scripts>;
    /** A program that gets a file, such as sed. */
    editor?: string;
  } = {},
): Promise<Opened> {
  const { isScreenReader = false, findings = [ok], change = {}, editor = "true" } = options;
  const screen = new SizedTerminal(80, 24);
  const server = new DeployServer();
  const cloud = {
    ...sampleCloud(server),
    drafts: new ScreenDrafts(path.join(folder, "state")),
    scripts: { ...scripts, preflight: async () => findings, ...change },
  };
  const result = runApp({
    cloud,
    program: "deployctl",
    first: "deploy",
    environment: { LANG: "en_GB.UTF-8", EDITOR: editor },
    isScreenReader,
    stdin: screen.stdin,
    stdout: screen.stdout,
  });
  const leave = async () => {
    screen.hangUp();
    await result;
  };
  onTestFinished(leave);
  await screen.until(isScreenReader ? "Step 1 of 3" : / of 3|Advanced {2}/);
  return { screen, server, leave };
}

/** Presses Enter until the step is open. */
async function next(screen: SizedTerminal, title: string): Promise<void> {
  screen.type(keys.enter);
  await screen.until(title);
}

/** Types the script's path and presses Enter. */
async function enterScript(screen: SizedTerminal, shows: string): Promise<void> {
  screen.type(script);
  await screen.until("chat.py");
  await next(screen, shows);
}

async function toName({ screen }: Opened): Promise<void> {
  await enterScript(screen, "> Name    chat");
}

/** Opens an advanced step from the review. */
async function advanced(screen: SizedTerminal, title: string): Promise<void> {
  screen.type("a");
  await screen.until("every check and its result");
  screen.type(title + keys.enter);
  await screen.until(`Advanced  ${title}`);
}

async function toReview(opened: Opened): Promise<void> {
  const { screen } = opened;
  await toName(opened);
  await next(screen, "Ready to launch");
}

/** Waits until this many deployments were sent. */
async function sent(server: DeployServer, count: number): Promise<void> {
  await until(
    () => server.requests,
    (requests) => requests.length === count,
  );
}

describe("the steps before the launch", () => {
  test("keep every answer, forwards and backwards, and send nothing", async () => {
    const opened = await openDeploy();
    const { screen, server } = opened;
    await toName(opened);
    screen.type("-two");
    await screen.until("chat-two is available.");
    screen.type(keys.down + right);
    await screen.until("< shared >");
    screen.type(keys.escape);
    await screen.until("1 of 3");
    await next(screen, "> Name    chat-two");
    expect(screen.text).toContain("< shared >");
    await next(screen, "Ready to launch");
    screen.type("\u001b[Z");
    await screen.until("> Name    chat-two");
    await next(screen, "Ready to launch");
    await screen.until("--auth shared");
    expect(screen.text).toContain("None: this is the first revision.");
    expect(server.requests).toEqual([]);
    expect(server.calls).toEqual([]);
    await next(screen, "3 of 3  Launch");
    await sent(server, 1);
    expect(server.requests[0]).toMatchObject({ name: "chat-two", config: { auth: "shared" } });
  });

  test("show the active revision of an existing name and what would change", async () => {
    const opened = await openDeploy();
    const { screen } = opened;
    await toName(opened);
    for (const _ of "chat") screen.type(keys.backspace);
    screen.type("tiny");
    await screen.until("tiny exists: r0002-1a2b3c4d, ready.");
    await next(screen, "Ready to launch");
    await screen.until("Concurrency: 1 -> 4");
    expect(screen.text).toContain("Max replicas: 1 -> 2");
  });

  test("deploy to the chosen environment, under its name", async () => {
    const opened = await openDeploy({ change: { prepare } });
    const { screen, server } = opened;
    server.environmentList = [sampleEnvironment(), sampleEnvironment({ name: "staging" })];
    server.appList = [sampleApp({ app: "chat" })];
    await enterScript(screen, "chat exists: r0002-1a2b3c4d, ready.");
    screen.type(keys.down + right);
    await screen.until("< staging >");
    await screen.until("chat--staging is available.");
    await next(screen, "Ready to launch");
    await screen.until("--environment staging");
    expect(screen.text).toContain("chat--staging, private");
    expect(screen.text).toContain("None: this is the first revision.");
    await next(screen, "3 of 3  Launch");
    await sent(server, 1);
    expect(server.requests[0]).toMatchObject({ name: "chat--staging" });
  });

  test("name what the app keeps, and ask before another script gets its secrets", async () => {
    const opened = await openDeploy({ change: { prepare } });
    const { screen, server } = opened;
    const { config } = sampleRevision();
    const given = { environment: { GREETING: "hi" }, givenVariables: ["GREETING"] };
    const revision = { config: { ...config, ...given }, secrets: ["OLD_TOKEN"] };
    server.revisionList = [sampleRevision(revision)];
    await toName(opened);
    for (const _ of "chat") screen.type(keys.backspace);
    screen.type("tiny");
    await screen.until("tiny exists: r0002-1a2b3c4d, ready.");
    await next(screen, "Ready to launch");
    await screen.until("Kept: GREETING, OLD_TOKEN.");
    expect(screen.text).toContain("--keep-secrets");
    await next(screen, "Keep it?");
    screen.type("n");
    await screen.until((shown) => !shown.text.includes("Keep it?"));
    expect(server.requests).toEqual([]);
    await next(screen, "Keep it?");
    screen.type("y");
    await sent(server, 1);
    expect(server.requests[0]).toMatchObject({
      kept: ["GREETING", "OLD_TOKEN"],
      config: { environment: { GREETING: "hi" } },
    });
  });

  test("confirm public access", async () => {
    const opened = await openDeploy();
    const { screen } = opened;
    await toName(opened);
    screen.type(keys.down + right + right);
    await screen.until("< public >");
    await next(screen, "Make it public?");
    screen.type("n");
    await screen.until((shown) => !shown.text.includes("Make it public?"));
    expect(screen.text).toContain("2 of 3");
    await next(screen, "Make it public?");
    screen.type("y");
    await screen.until("3 of 3");
  });

  test("hide secrets on the screen and in the command", async () => {
    const opened = await openDeploy();
    const { screen, server } = opened;
    await toReview(opened);
    await advanced(screen, "Variables");
    screen.type(keys.down);
    await screen.until("> API_TOKEN");
    screen.type("hunter2");
    await screen.until("*******");
    await next(screen, "Ready to launch");
    await screen.until('API_TOKEN="$API_TOKEN"');
    await next(screen, "3 of 3  Launch");
    await sent(server, 1);
    expect(server.requests[0]?.secrets).toEqual({ API_TOKEN: "hunter2" });
    expect(screen.bytes).not.toContain("hunter2");
    const state = path.join(folder, "state");
    const [draft = ""] = readdirSync(state);
    expect(readFileSync(path.join(state, draft), "utf8")).not.toContain("hunter2");
  });

  test("stop at errors that would fail, and open the step to fix", async () => {
    const findings: PreflightFinding[] = [
      { subject: "gpu", kind: "fault", sentence: "There is no GPU.", hint: "Use any." },
    ];
    const { screen, ...opened } = await openDeploy({ findings });
    await toName({ screen, ...opened });
    await next(screen, "1 problem to fix");
    expect(screen.text).toContain("Use any.");
    await next(screen, "Launch anyway?");
    screen.type("n");
    await screen.until((shown) => !shown.text.includes("Launch anyway?"));
    screen.type("f");
    await screen.until("Advanced  Resources");
  });

  test("all lead to the review, which accepts no wrong answer", async () => {
    const opened = await openDeploy();
    const { screen } = opened;
    screen.type(script);
    await screen.until("chat.py");
    screen.type("\u001bg");
    await screen.until("Ready to launch");
    expect(screen.text).toContain("chat, private");
    await advanced(screen, "Resources");
    screen.type(`${keys.down}x`);
    await screen.until("0x");
    screen.type(keys.escape);
    await screen.until("Resources, GPUs: Use a whole number from 0 to 64.");
    await next(screen, "Press f to fix the answer.");
    screen.type("f");
    await screen.until("> GPUs          0x");
    screen.type(keys.backspace);
    await screen.until((shown) => !shown.text.includes("0x"));
    screen.type("\u001bg");
    await screen.until("Ready to launch");
  });

  test("put every other setting behind one key, each of which returns to the review", async () => {
    const opened = await openDeploy();
    const { screen } = opened;
    await toReview(opened);
    const questions = {
      Inspection: "Variables MODEL_NAME, API_TOKEN",
      Server: "Where should it run?",
      Scaling: "Concurrency     4",
      Timeouts: "How long may each phase take?",
      Checks: "✓ ok      server: ready",
    };
    for (const [title, shown] of Object.entries(questions)) {
      await advanced(screen, title);
      await screen.until(shown);
      await next(screen, "Ready to launch");
    }
  });
});

test("checks are shown one by one as they finish, and keys work meanwhile", async () => {
  const running = Promise.withResolvers<readonly PreflightFinding[]>();
  const preflight: Scripts["preflight"] = async (_preparing, _server, tell) => {
    tell([
      { subject: "server", findings: [ok] },
      { subject: "python", findings: undefined },
    ]);
    return await running.promise;
  };
  const opened = await openDeploy({ change: { preflight } });
  const { screen } = opened;
  await toName(opened);
  await next(screen, "◐ 1 passed; checking python");
  screen.type(keys.enter);
  await screen.until("The checks are still running.");
  await advanced(screen, "Checks");
  await screen.until("✓ ok      server: ready");
  expect(screen.text).toContain("◐ running python");
  screen.type(keys.escape);
  await screen.until("◐ 1 passed; checking python");
  running.resolve([ok]);
  await screen.until("Ready to launch");
});

describe("reading a script", () => {
  test("continues while keys are pressed", async () => {
    const inspect = () => new Promise<never>(() => {});
    const { screen } = await openDeploy({ change: { inspect } });
    await enterScript(screen, "The script is parsed, not executed.");
    screen.type(keys.enter);
    await screen.until("still being read");
    screen.type(keys.escape);
    await screen.until("1 of 3");
    screen.type("x");
    await screen.until("chat.pyx");
  });

  test("that is wrong names the line, and r reads it again", async () => {
    const right = readFileSync(script, "utf8");
    writeFileSync(script, right.replace("serve():", "serve("));
    const { screen } = await openDeploy();
    await enterScript(screen, "Cannot deploy");
    expect(screen.text).toContain("chat.py:7");
    writeFileSync(script, right);
    screen.type("r");
    await screen.until("serve, a function (line 6");
  });

  test("completes paths with Tab", async () => {
    for (const name of ["chart.py", "chat.py"]) writeFileSync(path.join(folder, name), "");
    const { screen } = await openDeploy();
    screen.type(path.join(folder, "c"));
    await screen.until("/c");
    screen.type(keys.tab);
    await screen.until("chart.py");
    screen.type("t");
    await screen.until("/chat");
    screen.type(keys.tab);
    await screen.until("/chat.py");
  });
});

describe("the launch", () => {
  test("shows phases and log, fails with its reason, and is retried", async () => {
    const opened = await openDeploy();
    const { screen, server } = opened;
    await toReview(opened);
    await next(screen, "Launching chat");
    const { deployment: events } = server;
    const sentence = "calling serve";
    events.push({ kind: "phase", phase: "start", sentence, elapsedMs: 0 });
    events.push({ kind: "log", text: "loading weights" });
    await screen.until("loading weights");
    expect(screen.text).toContain("◐ start    calling serve");
    const reason = "out_of_memory";
    const tail = ["Killed"];
    const failed = { code: "CLOUD_START_FAILED", sentence: "It did not start.", exitCode: 6 };
    events.push({ kind: "failed", ...failed, reason, tail });
    events.end();
    await screen.until("chat failed to launch");
    for (const said of ["It did not start.", "out_of_memory", "Killed", "✗ start"]) {
      expect(screen.text).toContain(said);
    }
    screen.type("r");
    await sent(server, 2);
    await until(
      () => server.deployment,
      (queue) => queue !== events,
    );
    server.deployment.push({ kind: "done", result: deployResult() });
    server.deployment.end();
    await screen.until("chat is live");
    expect(screen.text).toContain("r0004-bbbbbbbb, active, ready after 1.84 s");
    expect(screen.text).toContain("Enter chat");
    screen.type("n");
    await screen.until("Shown only once");
    expect(server.calls).toEqual(["key api chat chat"]);
    screen.type(keys.escape);
    await screen.until("The key is shown only once. Close it?");
  });

  test("of a server that cannot chat offers no chat", async () => {
    const opened = await openDeploy();
    const { screen, server } = opened;
    await toReview(opened);
    await next(screen, "Launching chat");
    await sent(server, 1);
    const result = { ...deployResult(), api: { kind: "http" } } as const;
    server.deployment.push({ kind: "done", result });
    server.deployment.end();
    await screen.until("chat is live");
    await screen.until("n new key");
    expect(screen.text).not.toContain("Enter chat");
  });

  test("can be left to change answers, and the next one replaces it", async () => {
    const opened = await openDeploy();
    const { screen, server } = opened;
    await toReview(opened);
    await next(screen, "Launching chat");
    const left = server.deployment;
    screen.type("e");
    await screen.until("The launch continues until a new one replaces it.");
    screen.type("y");
    await screen.until("serve, a function");
    await next(screen, "Ready to launch");
    await next(screen, "Launching chat");
    await sent(server, 2);
    expect(server.requests.map(({ isForced }) => isForced)).toEqual([undefined, true]);
    // The first one's stream ends late.
    left.push({ kind: "log", text: "from the first" });
    left.end();
    server.deployment.push({ kind: "log", text: "from the second" });
    await screen.until("from the second");
    expect(screen.text).toContain("Launching chat");
    expect(screen.text).not.toContain("from the first");
  });

  test("reports an interrupted stream", async () => {
    const opened = await openDeploy();
    const { screen, server } = opened;
    await toReview(opened);
    await next(screen, "Launching chat");
    server.deployment.end();
    await screen.until("before the deployment finished");
  });
});

describe("the answers as text", () => {
  const asText = "\u0005";

  test("are read back, and errors shown at their fields", async () => {
    const opened = await openDeploy({
      editor: "sed -i -e 's/^app-name = .*/app-name = renamed/' -e 's/^gpus = .*/gpus = many/'",
    });
    const { screen } = opened;
    await toName(opened);
    screen.type(asText);
    await screen.until("Advanced  Resources");
    await screen.until("Use a whole number from 0 to 64.");
    expect(screen.text).toContain("> GPUs");
    screen.type("\u00150");
    await next(screen, "Ready to launch");
    await screen.until("--app-name renamed");
  });

  test("that are invalid are reported, and change nothing until fixed", async () => {
    const opened = await openDeploy({ editor: "sed -i -e 's/^mode = .*/mood = run/'" });
    const { screen } = opened;
    await toName(opened);
    screen.type(asText);
    await screen.until("Unknown name mood. Edit again?");
    screen.type("n");
    await screen.until("Answers unchanged");
    expect(screen.text).toContain("> Name    chat");
    screen.type(asText);
    await screen.until("Unknown name mood. Edit again?");
    screen.type("n");
    await screen.until("> Name    chat");
  });
});

describe("a draft", () => {
  test("is resumed where it was left, and removed by starting over", async () => {
    const first = await openDeploy();
    await toName(first);
    first.screen.type("-later");
    await first.screen.until("chat-later");
    await first.leave();
    const { screen } = await openDeploy();
    await screen.until("> Name    chat-later");
    screen.type("\u0012");
    await screen.until("No other drafts.");
    await next(screen, "3 of 3");
    screen.type("\u000e");
    await screen.until("Discard these answers and start over?");
    screen.type("y");
    await screen.until("1 of 3");
    expect(screen.text).not.toContain("chat.py");
  });
});

test("a screen reader gets each step, its fields and errors", async () => {
  const { screen } = await openDeploy({ isScreenReader: true });
  screen.type(keys.enter);
  await screen.until("Error in Script: Enter the path of a Python script.");
  screen.type(script);
  await screen.until(`Script: ${script}`);
  screen.type(keys.enter);
  await screen.until("Target    serve, a function");
  screen.type(keys.down);
  await screen.until(
    "Access: private, keys of this organisation (options: private, shared, public)",
  );
});

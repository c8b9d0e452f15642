// Tests that actions on the console ask for confirmation, take effect and report the result.
// Runs the whole program in an in-memory terminal with a sample control plane, which can be silent, crowded
// or flooded with log lines. For a real one see test/e2e/terminal-console.

import { expect, onTestFinished, test } from "vitest";
import type { CloudAccess } from "../../../../source/ui/app/cloud-access.ts";
import { openApp } from "../../support/open-app.ts";
import { runInTerminal } from "../../support/run-in-terminal.ts";
import { keys, SizedTerminal } from "../../support/sized-terminal.ts";
import {
  SampleServer,
  sampleApp,
  sampleCloud,
  sampleLine,
  sampleReplica,
  sampleRevision,
  sampleTraffic,
} from "./sample-cloud.ts";

interface Opened {
  readonly server: SampleServer;
  readonly screen: SizedTerminal;
}

async function openConsole(
  options: {
    columns?: number;
    rows?: number;
    isScreenReader?: boolean;
    server?: SampleServer;
    cloud?: CloudAccess;
  } = {},
): Promise<Opened> {
  const { columns = 110, rows = 36, isScreenReader = false, server = new SampleServer() } = options;
  const { cloud = sampleCloud(server) } = options;
  const screen = new SizedTerminal(columns, rows);
  const app = { cloud, program: "deployctl", first: "console", isScreenReader } as const;
  await runInTerminal(screen, app, isScreenReader ? "Pane: apps" : "[5 Console]");
  return { server, screen };
}

async function choose(screen: SizedTerminal, title: string): Promise<void> {
  screen.type(title);
  await screen.until(`> ${title.replace(/^:/, "")}`);
  screen.type(keys.enter);
}

test("Enter opens the chat with the deployment, and 5 returns", async () => {
  const { server, screen } = await openConsole();
  await screen.until(/> tiny +● ready/);
  screen.type(keys.enter);
  await screen.until("[1 Chat]");
  screen.type("Hello\r");
  await screen.until(() => server.backend.answers.length === 1);
  server.backend.current.text("Good morning.").done();
  await screen.until("Good morning.");
  screen.type("\u001b5");
  await screen.until("[5 Console]");
  screen.type(keys.enter);
  await screen.until("Good morning.");
});

test("scaling asks, explains, confirms and reports", async () => {
  const { server, screen } = await openConsole();
  await screen.until(/> tiny/);
  screen.type("s");
  await screen.until("Replicas of local/tiny");
  screen.type("\u00155..2\r");
  await screen.until("Minimum 5 is above maximum 2");
  expect(server.calls).toEqual([]);
  screen.type("s");
  await screen.until("Replicas of local/tiny");
  screen.type("\u00151..4\r");
  await screen.until("Keeps 1 running when idle, up to 4 under load.");
  screen.type("n");
  await screen.until(() => !screen.text.includes("running when idle"));
  expect(server.calls).toEqual([]);
  screen.type("s");
  await screen.until("Replicas of local/tiny");
  screen.type("\u00151..4\r");
  await screen.until("running when idle");
  screen.type("y");
  await screen.until("local/tiny scales 1..4; later");
  expect(server.calls).toEqual(['scale local/tiny {"minConcurrency":1,"maxConcurrency":4}']);
});

test("a deployment is deleted only after typing its name", async () => {
  const { server, screen } = await openConsole();
  await screen.until(/> tiny/);
  screen.type("D");
  await screen.until(/Type tiny/);
  screen.type("yes\r");
  await screen.until("'yes' is not tiny; nothing deleted");
  screen.type("D");
  await screen.until(/Type tiny/);
  screen.type(keys.escape);
  await screen.until(() => !screen.text.includes("Type tiny"));
  expect(server.calls).toEqual([]);
  screen.type("D");
  await screen.until(/Type tiny/);
  screen.type("tiny\r");
  await screen.until("local/tiny is deleted");
  expect(server.calls).toEqual(["delete local/tiny"]);
});

test("details follow the deployment, and close once it is deleted elsewhere", async () => {
  const { server, screen } = await openConsole();
  await screen.until(/> tiny/);
  screen.type("i");
  await screen.until(/State +ready/);
  server.appList = [sampleApp({ state: "COLD" }), sampleApp({ app: "embed" })];
  await screen.until(/State +cold/);
  server.appList = [sampleApp({ app: "embed" })];
  await screen.until("local/tiny is deleted");
  await screen.until(/> embed/);
  expect(screen.text).not.toMatch(/State +cold/);
});

test("details close at once when their deployment is deleted from them", async () => {
  const { server, screen } = await openConsole();
  await screen.until(/> tiny/);
  screen.type("i");
  await screen.until(/State +ready/);
  // A poll that still sees it, as while its requests finish.
  server.deleteApp = async () => {
    server.appList = [sampleApp({ state: "DELETING" })];
  };
  screen.type("D");
  await screen.until(/Type tiny/);
  screen.type("tiny\r");
  await screen.until(/> tiny +◐ deleting/);
  screen.type("i");
  await screen.until("local/tiny is deleted");
  expect(screen.text).not.toMatch(/State +/);
});

test("Enter on a first deployment that failed shows the reason and the way to the log", async () => {
  const server = new SampleServer();
  const reason = "crash.py:4: RuntimeError: no weights";
  server.appList = [sampleApp({ state: "FAILED", reason, activeRevision: undefined })];
  const { screen } = await openConsole({ server });
  await screen.until("Enter details");
  screen.type(keys.enter);
  await screen.until(/State +failed: crash\.py:4: RuntimeError: no weights/);
  expect(screen.text).toMatch(/Log +l shows it, as does deployctl logs local\/tiny/);
  expect(screen.text).not.toMatch(/Example calls|URL/);
  screen.type("l");
  await screen.until("tiny · log");
  await screen.until(() => server.followers === 1);
});

test("Enter on a server that cannot chat shows how to call it", async () => {
  const server = new SampleServer();
  server.appList = [sampleApp({ api: { kind: "http" } })];
  server.callLines = ({ url }) => [`curl ${url}/`];
  const { screen } = await openConsole({ server });
  await screen.until("Enter details");
  screen.type(keys.enter);
  await screen.until("its own; it cannot chat");
  expect(screen.text).toContain("curl http://127.0.0.1:8480/local/tiny/");
  expect(screen.text).not.toContain("[1 Chat]");
});

test("x stops a deployment after a confirmation, and starts it again", async () => {
  const { server, screen } = await openConsole();
  await screen.until(/> tiny/);
  screen.type("x");
  await screen.until("Its replica finishes its requests and stops");
  screen.type("y");
  await screen.until(/> tiny +⊘ stopped/);
  screen.type(keys.enter);
  await screen.until("local/tiny is stopped; x resumes it");
  screen.type("x");
  await screen.until(/> tiny +● ready/);
  expect(server.calls).toEqual(["pause local/tiny", "resume local/tiny"]);
});

test("a traffic split shows both revisions, and is promoted or aborted", async () => {
  const server = new SampleServer();
  server.appList = [sampleApp({ traffic: sampleTraffic() })];
  const { screen } = await openConsole({ server });
  const shares = "r0002 90 %: 36 requests, 0 5xx, p95 40 ms; r0003 10 %: 4 requests, 2 5xx";
  await screen.until(`tiny: ${shares}`);
  await screen.until("r0002+");
  screen.type("t");
  await screen.until("Give all traffic to r0003-5e6f7a8b");
  screen.type("\u001b[B\r");
  await screen.until(() => server.calls.length === 1);
  await screen.until(/> tiny/);
  screen.type("t");
  await screen.until("Give all traffic back to r0002-1a2b3c4d");
  screen.type("\u001b[B\u001b[B\r");
  await screen.until("local/tiny serves r0002-1a2b3c4d only");
  expect(server.calls).toEqual([
    "activate local/tiny r0003-5e6f7a8b",
    "abort the split of local/tiny",
  ]);
});

test("a rollback is chosen from a list, followed, and its failure reported", async () => {
  const server = new SampleServer();
  server.revisionList = [
    sampleRevision(),
    sampleRevision({ revision: "r0001-00000000", state: "SUPERSEDED", message: "first" }),
    sampleRevision({ revision: "r0000-00000000", state: "FAILED" }),
  ];
  server.activation = [
    { kind: "phase", phase: "start", sentence: "a replica of r0001", elapsedMs: 10 },
    {
      kind: "failed",
      code: "CLOUD_START_FAILED",
      sentence: "The replica ended with exit code 1.",
      exitCode: 6,
      reason: "exited",
      tail: [],
    },
  ];
  const { screen } = await openConsole({ server });
  await screen.until(/> tiny/);
  screen.type("u");
  await screen.until("r0001-00000000  first");
  expect(screen.text).not.toContain("r0000-00000000");
  screen.type(keys.enter);
  await screen.until("local/tiny is unchanged: The replica ended with exit code 1.");
  expect(server.calls).toEqual(["activate local/tiny r0001-00000000"]);
});

test("a key is created, shown once, copied and hidden; others are rotated and revoked", async () => {
  const { server, screen } = await openConsole();
  await screen.until(/> tiny/);
  screen.type("n");
  await screen.until("Create a key to");
  screen.type(keys.enter);
  await screen.until("Name of the key");
  screen.type("laptop\r");
  await screen.until("Key expires");
  screen.type(keys.enter);
  const token = `dk_${"t".repeat(61)}`;
  await screen.until(token);
  screen.type("y");
  await screen.until(/Copied \d+ characters/);
  const [encoded = ""] = screen.bytes.split("\u001b]52;c;")[1]?.split("\u0007") ?? [];
  expect(Buffer.from(encoded, "base64").toString()).toBe(token);
  screen.type(keys.enter);
  await screen.until(() => !screen.text.includes(token));
  expect(server.calls).toEqual(["key api tiny laptop"]);

  screen.type(keys.tab);
  await screen.until("> aaaabbbb");
  screen.type(keys.tab);
  await screen.until(/> (ci|laptop)/);
  screen.type("r");
  await screen.until("The old token works for");
  await choose(screen, "One hour");
  await screen.until("dk_rotated");
  screen.type(keys.enter);
  await screen.until(() => !screen.text.includes("dk_rotated"));
  screen.type("x");
  await screen.until("This cannot be undone");
  screen.type(keys.enter);
  await screen.until(() => !screen.text.includes("This cannot be undone"));
  expect(server.calls.some((order) => order.startsWith("revoke"))).toBe(false);
  screen.type("x");
  await screen.until("This cannot be undone");
  await choose(screen, "Yes, and cancel");
  await screen.until(/is revoked/);
  expect(server.calls.at(-1)).toMatch(/^revoke \S+ hard$/);
});

test("a replica is stopped and replaced", async () => {
  const server = new SampleServer();
  server.replicaList = [sampleReplica(), sampleReplica({ replica: "ccccdddd", inFlight: 2 })];
  const { screen } = await openConsole({ server });
  await screen.until(/> tiny/);
  screen.type(keys.tab);
  await screen.until("> aaaabbbb");
  screen.type("jx");
  await screen.until("Stop replica ccccdddd? It finishes its 2 requests first.");
  await choose(screen, "Yes, after a replacement");
  await screen.until("Stopping ccccdddd");
  expect(server.calls).toEqual(["stop ccccdddd and replace it"]);
});

test("the log of the selected deployment is followed and filtered, also for one replica", async () => {
  const { server, screen } = await openConsole();
  await screen.until(() => server.followers === 1);
  server.write(
    sampleLine({ text: "GET /v1/models 200" }),
    sampleLine({ seq: 2, replica: "ccccdddd", text: "POST /v1/chat 500", stream: "stderr" }),
  );
  await screen.until("POST /v1/chat 500");
  screen.type("l");
  await screen.until("f stream");
  screen.type("/models");
  await screen.until("1 lines");
  expect(screen.text).not.toContain("POST /v1/chat 500");
  screen.type(keys.enter);
  await screen.until("filter: models");
  screen.type(keys.escape);
  await screen.until("POST /v1/chat 500");
  screen.type("f");
  await screen.until("log · stderr");
  expect(screen.text).not.toContain("GET /v1/models 200");
});

test("a lost control plane keeps the view, and returns by itself or with S", async () => {
  const { server, screen } = await openConsole();
  await screen.until(/> tiny +● ready/);
  server.isGone = true;
  await screen.until("The control plane is not running");
  expect(screen.text).toMatch(/> tiny +● ready/);
  expect(screen.text).toContain("S starts it");
  server.isGone = false;
  await screen.until(() => !screen.text.includes("The control plane is not running"));
  server.isGone = true;
  await screen.until("The control plane is not running");
  screen.type("S");
  await screen.until("The control plane is running at http://127.0.0.1:8480");
  expect(server.calls).toEqual(["start"]);
});

test("a control plane that never ran is shown with the key to start it", async () => {
  const server = new SampleServer();
  server.isGone = true;
  const { screen } = await openConsole({ server, columns: 80, rows: 24 });
  await screen.until("The control plane is not running.");
  screen.type("S");
  await screen.until(/> tiny +● ready/);
});

test("200 deployments and a flood of log lines paint only what fits", async () => {
  const server = new SampleServer();
  server.appList = Array.from({ length: 200 }, (_, index) =>
    sampleApp({ app: `app-${String(index).padStart(3, "0")}` }),
  );
  const { screen } = await openConsole({ server });
  await screen.until("1 of 200");
  await screen.until(() => server.followers === 1);
  let seq = 0;
  const flood = setInterval(() => {
    for (let line = 0; line < 20; line += 1) {
      seq += 1;
      server.write(sampleLine({ seq, text: `n ${seq}` }));
    }
  }, 10);
  onTestFinished(() => clearInterval(flood));
  await screen.until(/n \d{3,}/);
  screen.type("/app-15\r");
  await screen.until("1 of 10 (200 total)");
  screen.type(keys.end);
  await screen.until("> app-159");
  screen.type(keys.escape);
  await screen.until("of 200");
  expect(screen.text).toContain("> app-159");
  clearInterval(flood);
});

test("the palette does what the keys do, and asks for arguments", async () => {
  const { server, screen } = await openConsole();
  await screen.until(/> tiny/);
  screen.type("\u0010");
  await screen.until("Commands");
  screen.type("number of replicas");
  await screen.until("> Change the number of replicas");
  screen.type(keys.enter);
  await screen.until("Replicas of local/tiny");
  screen.type("\u0015reset\r");
  await screen.until("is reset to");
  expect(server.calls).toEqual(["reset local/tiny"]);
});

test("slash lines name a deployment and a replica", async () => {
  const server = new SampleServer();
  server.appList = [sampleApp(), sampleApp({ app: "embed" })];
  const { screen } = await openConsole({ server });
  await screen.until(/ embed /);
  await choose(screen, ":/scale embed 1..3");
  await screen.until("Scale local/embed from 0..2 to 1..3?");
  screen.type("n");
  await screen.until((now) => !now.text.includes("[ No ]") && /> embed/.test(now.text));
  await choose(screen, ":/delete-app nobody");
  await screen.until("No deployment named 'nobody'");
  server.revisionList = [sampleRevision({ revision: "r0001-cccccccc", state: "SUPERSEDED" })];
  await choose(screen, ":/rollback tiny r0001");
  await screen.until("Roll local/tiny back from r0002-1a2b3c4d to r0001-cccccccc?");
  screen.type("n");
  await screen.until((now) => !now.text.includes("[ No ]") && /> tiny/.test(now.text));
  await choose(screen, ":/logs tiny aaaabbbb");
  await screen.until("tiny · log · aaaabbbb");
  expect(server.calls).toEqual([]);
});

test("for screen readers states are words, changes are new lines, and a key is printed", async () => {
  const { server, screen } = await openConsole({ isScreenReader: true, columns: 100, rows: 60 });
  await screen.until("tiny: ready, 1 of at most 2 replicas ready, revision r0002");
  server.appList = [sampleApp({ state: "CRASH_BACKOFF", reason: "exit code 1" })];
  await screen.until("tiny: crashing, 1 of at most 2 replicas ready, revision r0002, exit code 1");
  expect(screen.text).not.toMatch(/[│╭▁█]/);
  screen.type("l");
  await screen.until("Pane: logs");
  await screen.until(() => server.followers === 1);
  server.write(sampleLine({ text: "POST /v1/chat 500" }));
  await screen.until(/aaaabbbb +POST \/v1\/chat 500/);
  server.isGone = true;
  await screen.until(/Control plane, this machine: .*does not respond/);
});

test("details scroll by rows and pages to their end, and Esc returns", async () => {
  const server = new SampleServer();
  server.revisionList = Array.from({ length: 30 }, (_, index) =>
    sampleRevision({ revision: `r00${index}-0` }),
  );
  const { screen } = await openConsole({ server, columns: 80, rows: 24 });
  await screen.until(/> tiny/);
  screen.type("i");
  await screen.until(/rows 1 to 20 of \d+/);
  screen.type(keys.pageDown);
  await screen.until(/rows 20 to 39 of \d+/);
  screen.type(keys.end);
  await screen.until("curl http://127.0.0.1:8480/local/tiny");
  expect(screen.text).toContain("Example calls");
  screen.type(keys.down + keys.pageUp);
  await screen.until((now) => /rows \d+ to \d+ of/.test(now.text) && !now.text.includes("curl"));
  screen.type(keys.home);
  await screen.until(/rows 1 to 20 of/);
  screen.type(keys.escape);
  await screen.until(/> tiny/);
});

test("p switches to another server and shows nothing of the previous one", async () => {
  const server = new SampleServer();
  const far = new SampleServer();
  far.appList = [sampleApp({ app: "far-away" })];
  far.keyList = [];
  const target = { ...far.target, profile: "far", place: "https://far:8481", isCurrent: false };
  Object.assign(far, { target });
  const cloud: CloudAccess = {
    ...sampleCloud(server),
    targets: async () => [server.target, target],
    server: (profile) => (profile === "far" ? far : server),
  };
  const { screen } = await openConsole({ server, cloud });
  await screen.until(/> tiny/);
  await screen.until(() => server.followers === 1);
  screen.type("/tin\r");
  await screen.until("filter: tin");
  screen.type("p");
  await screen.until("https://far:8481");
  await choose(screen, "far");
  await screen.until(/> far-away/);
  await screen.until("No API keys yet");
  expect(screen.text).not.toMatch(/tiny|filter:/);
  await screen.until(() => server.followers === 0 && far.followers === 1);
  screen.type("x");
  await screen.until("Stop local/far-away?");
  screen.type("y");
  await screen.until(/> far-away +⊘ stopped/);
  expect([server.calls, far.calls]).toEqual([[], ["pause local/far-away"]]);
});

test("example calls name the model that the server has listed", async () => {
  const server = new SampleServer();
  server.appList = [sampleApp({ api: { kind: "openai", model: "maker/chat" } })];
  server.callLines = ({ api }) => [`call ${JSON.stringify(api)}`];
  const { screen } = await openConsole({ server });
  await screen.until(/> tiny/);
  screen.type("Y");
  await screen.until(/Copied \d+ characters/);
  const [encoded = ""] = screen.bytes.split("\u001b]52;c;")[1]?.split("\u0007") ?? [];
  expect(Buffer.from(encoded, "base64").toString()).toContain("maker/chat");
  screen.type("i");
  await screen.until("OpenAI's, under /v1, model maker/chat");
  screen.type(keys.end);
  await screen.until(/call .*maker\/chat/);
});

test("running replicas come before ended ones, which show why they ended", async () => {
  const server = new SampleServer();
  const exit = { code: 1, signal: undefined, reason: "exited", sentence: "It ended.", tail: [] };
  server.replicaList = [
    sampleReplica({ replica: "endedone", state: "TERMINATED", exit }),
    sampleReplica({ replica: "livesone" }),
  ];
  const { screen } = await openConsole({ server });
  await screen.until(/livesone ● ready[\s\S]*endedone ○ ended.*It ended\./);
});

test("in modelctl it is the fifth tab, and /here returns from a deployment to the local model", async () => {
  const server = new SampleServer();
  server.backend.facts = { ...server.backend.facts, name: "local/tiny far" };
  const { screen, backend } = await openApp({ cloud: sampleCloud(server) });
  await screen.until("5 Console");
  screen.type("\u001b5");
  await screen.until(/> tiny +● ready/);
  screen.type(keys.enter);
  await screen.until("local/tiny far");
  screen.type("Hello\r");
  await screen.until(() => server.backend.answers.length === 1);
  expect(backend.answers).toHaveLength(0);
  server.backend.current.text("From afar.").done();
  await screen.until("From afar.");
  screen.type("/here\r");
  await screen.until(() => !screen.text.includes("From afar."));
  screen.type("And you?\r");
  await screen.until(() => backend.answers.length === 1);
  backend.current.text("From here.").done();
  await screen.until("From here.");
});

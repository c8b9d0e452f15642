// Deploy screen: the built deployctl in a pseudo-terminal, with a real control plane and the tiny model.
// A script fails and is retried once corrected; a model becomes an app, which is called by the screen's
// test, with a key, and in the chat.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CloudHome, fakeServerScript } from "../support/cloud-home.ts";
import { openDeployctl } from "../support/cloud-terminal.ts";
import type { TestTerminal } from "../support/pty.ts";
import { until } from "../support/until.ts";

const openDeploy = "\u001b4";
const enter = "\r";
const escapeKey = "\u001b";
const up = "\u001b[A";
const right = "\u001b[C";
const another = "\u000e";
const otherDrafts = "\u0012";

let cloud: CloudHome;
let terminal: TestTerminal;
beforeAll(async () => {
  cloud = await CloudHome.create();
  terminal = await openDeployctl(cloud, { environment: { NO_COLOR: "1" } });
});
afterAll(async () => {
  await terminal.close();
  await cloud.remove();
});

function drafts(): string[] {
  return readdirSync(cloud.home.stateFolder).filter((name) => name.startsWith("deploy-draft"));
}

/** Presses Enter and waits for the next step. */
async function next(...titles: string[]): Promise<void> {
  for (const title of titles) {
    terminal.type(enter);
    await terminal.shows(title);
  }
}

/** Another terminal starts over, and can resume a copy. */
async function seesDraftOfAnother(): Promise<void> {
  const second = await openDeployctl(cloud, { environment: { NO_COLOR: "1" } });
  try {
    second.type(openDeploy);
    await second.shows("1 of 3");
    second.type(otherDrafts);
    await second.shows("open in another terminal");
    second.type(enter);
    await second.shows("> Name    bad");
    second.type("-two");
    await second.shows("> Name    bad-two");
    second.type(another);
    await second.shows("Discard these answers and start over?");
    second.type("y");
    await second.shows("1 of 3");
  } finally {
    await second.close();
  }
  expect(terminal.text()).toContain("> Name    bad ");
}

/** Goes through the steps from the name on without changes. */
async function launch(): Promise<void> {
  await next("Ready to launch", "3 of 3  Launch");
}

it("shows why a script failed and retries it once corrected", async () => {
  cloud.write(
    "bad.py",
    fakeServerScript().replace(
      "    subprocess.run(",
      '    raise OSError("no weights")\n    subprocess.run(',
    ),
  );
  terminal.type(openDeploy);
  await terminal.shows("1 of 3");
  await terminal.shows("  bad.py");
  terminal.type("ba\t");
  await terminal.shows("> Script  bad.py");
  await next("> Name    bad");
  await terminal.shows("serve, a function");
  await terminal.shows("bad is available.");
  await seesDraftOfAnother();
  await launch();
  await terminal.shows("bad failed to launch");
  expect(terminal.text()).toContain("OSError: no weights");
  cloud.write("bad.py", fakeServerScript());
  terminal.type("r");
  await terminal.shows("bad is live");
});

it("deploys a local model and chats with it through the gateway", async () => {
  terminal.type(another);
  await terminal.shows("1 of 3");
  terminal.type(up);
  await terminal.shows("> Deploy");
  terminal.type(right);
  await terminal.shows("< tiny >");
  await next("> Name    tiny");
  // Back and forth: answers stay, and a used name is reported.
  terminal.type("\u0015bad");
  await terminal.shows("bad exists: r000");
  terminal.type("_");
  await terminal.shows("may only contain a-z");
  terminal.type(escapeKey);
  await terminal.shows("1 of 3");
  await next("> Name    bad_");
  terminal.type("\u0015tiny");
  await terminal.shows("tiny is available.");
  const [draft = ""] = drafts();
  expect(statSync(path.join(cloud.home.stateFolder, draft)).mode & 0o777).toBe(0o600);
  await launch();
  await terminal.shows("tiny is live");
  expect(terminal.text()).toContain(`http://127.0.0.1:${cloud.gatewayPort}/local/tiny/v1`);
  expect(terminal.text()).toContain('{"model":"tiny"');

  terminal.type("t");
  await until(terminal.text, (text) => /POST \/v1\/chat\/completions 200/.test(text));
  expect(terminal.text()).toContain("expected at least one model; got: tiny");
  terminal.type("n");
  await terminal.shows("Shown only once");
  const [, token = ""] = /Key +(dk_\w+)/.exec(terminal.text()) ?? [];
  const reply = await fetch(`http://127.0.0.1:${cloud.gatewayPort}/local/tiny/v1/models`, {
    headers: { Authorization: `Key ${token}` },
  });
  expect(reply.status).toBe(200);

  terminal.type(enter);
  await terminal.shows("[1 Chat]");
  await terminal.send("What is the capital of France?");
  await terminal.shows("The capital of France is Paris.");
  expect(drafts()).toEqual([]);
});

it("shows the active revision of an existing name and that nothing would change", async () => {
  terminal.type(openDeploy);
  await terminal.shows("tiny is live");
  terminal.type("e");
  await terminal.shows("The key is shown only once. Close it?");
  terminal.type("y");
  await terminal.shows("tiny exists: r0001-");
  await next("Ready to launch");
  await terminal.shows("Same settings as r0001-");
  await next("already active");
});

it("restores the previous revision when a launch fails, and retries it once corrected", async () => {
  const script = path.join(cloud.folder, "deploy.py");
  const good = readFileSync(script, "utf8");
  const { activeRevision: first } = await shown();
  writeFileSync(script, `${good}\n\nraise OSError("no weights")\n`);
  terminal.type("e");
  await terminal.shows("tiny exists: r0001-");
  await launch();
  await terminal.shows("tiny failed to launch");
  await terminal.shows("OSError: no weights");
  expect(terminal.text()).toContain(`${first} was active before`);
  terminal.type("u");
  await terminal.shows("is already active.");
  expect(await shown()).toMatchObject({ activeRevision: first, state: "READY" });

  writeFileSync(script, `${good}\n# corrected\n`);
  terminal.type("r");
  await terminal.shows("tiny is live");
  expect((await shown()).activeRevision).not.toBe(first);
  terminal.type("u");
  await terminal.shows("is active again.");
  expect((await shown()).activeRevision).toBe(first);
});

async function shown(): Promise<{ activeRevision: string; state: string }> {
  return await cloud.json(["apps", "show", "tiny"]);
}

// The README's commands, run as they stand. Only names of models, ports and what needs a terminal differ.
import { copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CloudHome } from "./support/cloud-home.ts";
import { repositoryFolder, tinyFile } from "./support/command-line.ts";
import { writeProgram } from "./support/fake-agent.ts";
import { type LoopbackHub, startLoopbackHub } from "./support/loopback-hub.ts";
import { windowTiny } from "./support/tiny-variants.ts";

const readme = readFileSync(path.join(repositoryFolder, "README.md"), "utf8");

/** Lines that a test cannot run as they stand, and what shows that they work. */
const elsewhere: Readonly<Record<string, string>> = {
  "npm ci": "how the tests got here",
  "npm pack": "test/package.test.ts",
  "npm install -g --ignore-scripts ./modelctl-0.1.0.tgz": "test/package.test.ts",
  modelctl: "opens a terminal's screen: test/e2e/terminal-chat.test.ts",
  "modelctl recommend": "needs known publishers: test/e2e/models-recommend.test.ts",
  "modelctl launch": "asks on a terminal: test/e2e/launch-command.test.ts",
};

/** Chats without a terminal read their question from standard input. */
const chats = ["modelctl run ./some-model.gguf", "modelctl run hf.co/OWNER/REPO:Q4_K_M"];

let hub: LoopbackHub;
let cloud: CloudHome;
beforeAll(async () => {
  const files = { "qwen3-instruct-Q4_K_M.gguf": windowTiny(32_768) };
  hub = await startLoopbackHub({ repositories: { "maker/qwen3-instruct": { files } } });
  cloud = await CloudHome.create();
  copyFileSync(tinyFile, path.join(cloud.folder, "some-model.gguf"));
  cloud.write("question", "What is the capital of France?");
  writeProgram(
    cloud.programs,
    "opencode",
    '#!/bin/sh\necho "opencode has $OPENCODE_CONFIG_CONTENT"\n',
  );
  for (const [name, file] of [
    ["modelctl", "cli.js"],
    ["deployctl", "deployctl.js"],
  ] as const) {
    const program = path.join(repositoryFolder, "dist", file);
    writeProgram(cloud.programs, name, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  }
});
afterAll(async () => {
  await cloud.remove();
  await hub.close();
});

/** Returns the commands of a section that can be run, for a shell. */
function commandsOf(heading: string): string {
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  const [, block] = /^```sh\n([\s\S]*?)^```$/m.exec(section) ?? [];
  if (block === undefined) throw new Error(`the README has no commands under ${heading}`);
  return block
    .split("\n")
    .map((line) => {
      const command = line.replace(/ +# .*$/, "");
      if (Object.hasOwn(elsewhere, command)) return "";
      return chats.includes(command) ? `${command} < question` : line;
    })
    .join("\n")
    .replaceAll("OWNER/REPO", "maker/qwen3-instruct")
    .replaceAll("127.0.0.1:11434", `127.0.0.1:${cloud.home.port}`)
    .replaceAll("127.0.0.1:8480", `127.0.0.1:${cloud.gatewayPort}`);
}

async function runCommands(heading: string) {
  return await cloud.home.startProgram("/bin/sh", ["-e", "-c", commandsOf(heading)], {
    environment: { ...cloud.environment, HF_ENDPOINT: hub.url },
  }).ended;
}

test("the commands of a first chat answer, search and download", async () => {
  const { code, output, errors } = await runCommands("First chat");
  expect(code, errors).toBe(0);
  const answers = output.split("\n").filter((line) => line === "The capital of France is Paris.");
  expect(answers).toHaveLength(3);
  expect(output).toContain("maker/qwen3-instruct");
});

test("the commands of a first call and a first agent reach the server", async () => {
  // Any command with a model starts it.
  await cloud.home.call(["run", "tiny", "Hello!"], { environment: { HF_ENDPOINT: hub.url } });
  const called = await runCommands("First API call");
  expect(called.code, called.errors).toBe(0);
  expect(called.output).toContain("2 + 3 = 5");
  expect(called.output).toContain('"done":true');
  const launched = await runCommands("First agent");
  expect(launched.code, launched.errors).toBe(0);
  expect(launched.output).toContain(`opencode has {`);
  expect(launched.output).toContain("maker/qwen3-instruct");
});

test("the commands of a first deployment end with the app's models", async () => {
  const { code, output, errors } = await runCommands("First deployment");
  expect(code, errors).toBe(0);
  expect(output).toContain('"id":"tiny:latest"');
});

test("every command that is run elsewhere is in the README", () => {
  const lines = readme.split("\n").map((line) => line.replace(/ +# .*$/, ""));
  expect(Object.keys(elsewhere).filter((command) => !lines.includes(command))).toEqual([]);
  expect(chats.filter((command) => !lines.includes(command))).toEqual([]);
});

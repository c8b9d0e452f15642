// Tools that --tools names: commands are run without a question only if --allow-command names them.
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openChatTools } from "../../source/cli/chat-tools.ts";
import { readSettings } from "../../source/cli/session-settings.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function openShell(allowCommand: string[]) {
  const state = temporaryFolder();
  const { values, ...settings } = readSettings({});
  const paths = { ...settings.paths, state, toolServerFile: path.join(state, "mcp.json") };
  const flags = { tools: ["shell"], allowCommand };
  const tools = await openChatTools(flags, { ...settings, values, paths });
  if (tools === undefined) throw new Error("no tools");
  onTestFinished(() => tools.set.close());
  const { signal } = new AbortController();
  await tools.toolbox.offered(signal);
  const run = (command: string, isFromText = false) =>
    tools.toolbox.run({ name: "run_command", arguments: { command }, isFromText }, signal);
  return { tools, run };
}

test("A command that --allow-command names is run, and no other", async () => {
  const { run } = await openShell(["echo *"]);
  expect(await run("echo hello")).toMatchObject({
    server: "shell",
    text: "hello\n",
    isError: false,
  });
  await expect(run("echo hello; pwd")).rejects.toMatchObject({
    code: "TOOLS_CALL_REFUSED",
    message:
      'The model\'s call of "run_command" of shell was not run: --allow-command does not name "echo hello; pwd".',
  });
  await expect(run("echo hello", true)).rejects.toMatchObject({ code: "TOOLS_CALL_REFUSED" });
});

test("A person is asked about each command, whatever was allowed", async () => {
  const { tools, run } = await openShell([]);
  let questions = 0;
  tools.ask = async () => {
    questions += 1;
    return { kind: "always" };
  };
  await run("echo one");
  expect((await run("echo two")).text).toBe("two\n");
  expect(questions).toBe(2);
});

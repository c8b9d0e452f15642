// cp and import replace a model only with --force or confirmation on a terminal.
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Home } from "../support/command-line.ts";
import { isProof } from "../support/proof.ts";
import { openTerminal } from "../support/pty.ts";

let home: Home;
let archive: string;

beforeAll(async () => {
  home = await Home.create();
  archive = path.join(home.folder, "mine.tar");
  await make("mine", "archived");
  await home.call(["export", "mine", archive]);
});
afterAll(async () => await home.remove());
beforeEach(async () => {
  await make("mine", "first");
  await make("other", "second");
});

async function make(name: string, system: string): Promise<void> {
  const input = `FROM tiny\nSYSTEM ${system}\n`;
  expect(await home.call(["create", name, "-f", "-"], { input })).toMatchObject({ code: 0 });
}

async function systemOf(name: string): Promise<string> {
  return (await home.call(["show", name, "--system"])).output.trimEnd();
}

const commands = () => [
  ["cp", "other", "mine"],
  ["import", archive],
  ["import", archive, "--as", "mine"],
];

test("fails with a conflict without a terminal, and the model stays", async () => {
  for (const words of commands()) {
    expect(await home.call(words)).toEqual({
      code: 5,
      output: "",
      errors: expect.stringMatching(
        /^Error: A model named 'mine' already exists\. Use --force to replace it, or choose another name\.\n$/,
      ),
    });
    expect(await systemOf("mine")).toBe("first");
  }
});

test("replaces the model with --force", async () => {
  for (const words of commands()) {
    expect(await home.call([...words, "--force"])).toMatchObject({ code: 0 });
    expect(await systemOf("mine")).toBe(words[0] === "cp" ? "second" : "archived");
    await make("mine", "first");
  }
});

test("asks nothing for a new name", async () => {
  expect(await home.call(["cp", "other", "new"])).toMatchObject({ code: 0 });
  expect(await home.call(["import", archive, "--as", "newer"])).toMatchObject({ code: 0 });
});

test.each(["y", "n"])("asks on a terminal and follows the answer %s", async (answer) => {
  // All ask with the same code.
  for (const words of commands().slice(0, answer === "y" || isProof ? undefined : 1)) {
    const terminal = await openTerminal(words, {
      home: home.folder,
      environment: home.environment,
    });
    await terminal.shows("Replace 'mine'? [y/N]");
    terminal.type(`${answer}\r`);
    expect(await terminal.exited).toBe(answer === "y" ? 0 : 5);
    await terminal.close();
    const wanted = words[0] === "cp" ? "second" : "archived";
    expect(await systemOf("mine")).toBe(answer === "y" ? wanted : "first");
    await make("mine", "first");
  }
});

test.each([
  ["Ctrl+C", "\u0003"],
  ["Ctrl+D", "\u0004"],
])("%s ends the question and its line, and changes nothing", async (_key, typed) => {
  const terminal = await openTerminal(["cp", "other", "mine"], {
    home: home.folder,
    environment: home.environment,
  });
  await terminal.shows("Replace 'mine'? [y/N]");
  terminal.type(typed);
  expect(await terminal.exited).toBe(130);
  expect(terminal.raw()).toMatch(/\n$/);
  await terminal.close();
  expect(await systemOf("mine")).toBe("first");
});

test.each([
  ["a yes", "y\r", "Created new model 'mine'.", "second"],
  ["the end of input", "\u0004", "A model named 'mine' already exists.", "first"],
])("asks before /save in the line chat: %s", async (_name, answer, outcome, system) => {
  const terminal = await openTerminal(["run", "other", "--plain"], {
    home: home.folder,
    environment: home.environment,
  });
  await terminal.shows(">>> ");
  terminal.type("/save mine\r");
  await terminal.shows("Replace model 'mine'? [y/N]");
  terminal.type(answer);
  await terminal.shows(outcome);
  await terminal.close();
  expect(await systemOf("mine")).toBe(system);
});

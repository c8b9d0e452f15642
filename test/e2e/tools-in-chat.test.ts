// Tools in single answers, pipes and the line chat: who decides, what is run, and what is kept.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Home } from "../support/command-line.ts";
import { processesOfHome } from "../support/processes.ts";
import { openTerminal, type TestTerminal } from "../support/pty.ts";
import { templateTiny } from "../support/tiny-variants.ts";
import { until } from "../support/until.ts";

const program = path.join(import.meta.dirname, "..", "support", "weather-server.ts");
const question = "What is the weather in Paris?";
const result = '{"city":"Paris","temperature":18,"sky":"clear"}';
const answer = "The tool says: ";
const controlC = "\u0003";

let home: Home;
beforeAll(async () => {
  home = await Home.create();
  for (const mode of ["calm", "slow", "crashing"]) {
    await home.call(["mcp", "add", mode, "--", process.execPath, program, mode]);
  }
});
afterAll(async () => await home.remove());

const ask = (...words: string[]) => home.call(["run", "tiny", question, ...words]);

describe("A single answer", () => {
  test("runs a tool that --allow names, and prints only the answer as output", async () => {
    const outcome = await ask("--tools", "calm", "--allow", "get_weather");
    expect(outcome.code).toBe(0);
    expect(outcome.output).toContain(answer);
    expect(outcome.errors).toBe(`get_weather({"city":"Paris"})\n  ${result}\n`);
  });

  test("has the calls and their results with --json", async () => {
    const { output } = await ask("--tools", "calm", "--allow", "calm:get_weather", "--json");
    const call = { name: "get_weather", server: "calm", arguments: { city: "Paris" }, result };
    expect(JSON.parse(output)).toMatchObject({
      text: expect.stringContaining(answer),
      steps: [{ text: "", calls: [{ ...call, isError: false }] }],
    });
  });

  test.each([
    ["nothing", []],
    ["another tool", ["--allow", "environment"]],
    ["another server's tool of this name", ["--allow", "slow:get_weather"]],
    ["a name that two servers use", ["--tools", "slow", "--allow", "get_weather"]],
  ])("is refused with exit code 2 if --allow names %s", async (_title, words) => {
    const outcome = await ask("--tools", "calm", ...words);
    expect(outcome).toMatchObject({ code: 2, output: "" });
    expect(outcome.errors).toMatch(/The model's call of "\w+" of \w+ was not run: --allow/);
  });

  test("cuts a long result, and says so to the model", async () => {
    const environment = { MODELCTL_MAX_TOOL_RESULT: "10B" };
    const words = ["run", "tiny", question, "--tools", "calm", "--allow", "get_weather"];
    const { errors } = await home.call(words, { environment });
    expect(errors).toContain("[Cut: the first 10 of 47 bytes.");
  });

  test("goes on without calls at their limit", async () => {
    const environment = { MODELCTL_TOOL_CALL_TIMEOUT: "100ms" };
    const words = ["run", "tiny", question, "--tools", "slow", "--allow", "get_weather"];
    const { code, errors } = await home.call(words, { environment });
    expect(errors).toContain("The tool get_weather of slow did not finish within 100 ms.");
    expect(code).toBe(0);
  });

  test("tells the model about a server that crashes", async () => {
    const { code, errors } = await ask("--tools", "crashing", "--allow", "get_weather");
    expect(errors).toContain("The tool server crashing ended with code 9 during the call");
    expect(code).toBe(0);
  });

  test("needs servers that exist", async () => {
    expect(await ask("--tools", "tides")).toMatchObject({
      code: 3,
      errors: expect.stringContaining('There is no tool server named "tides".'),
    });
    expect(await ask("--allow", "get_weather")).toMatchObject({
      code: 2,
      errors: expect.stringContaining("--allow needs --tools."),
    });
  });

  test.each([
    [["--allow-command", "git status"], "--allow-command needs --tools shell."],
    [["--tools", "files", "--allow-command", "ls"], "--allow-command needs --tools shell."],
    [["--tools", "shell", "--allow-command", " "], "--allow-command is empty."],
    [
      ["--tools", "shell", "--allow", "run_command"],
      "--allow cannot name run_command: it runs any",
    ],
  ])("refuses %j", async (words, sentence) => {
    const outcome = await ask(...words);
    expect(outcome).toMatchObject({ code: 2, errors: expect.stringContaining(sentence) });
  });

  test("says so if the model calls no tools", async () => {
    const file = path.join(home.folder, "plain.gguf");
    writeFileSync(file, templateTiny("{{ messages[0]['content'] }}"));
    const outcome = await home.call(["run", file, question, "--tools", "calm"]);
    expect(outcome.code).toBe(2);
    expect(outcome.errors).toContain("calls no tools: its chat template has no place for them.");
  });
});

describe("A pipe", () => {
  const pipe = (...words: string[]) =>
    home.call(["run", "tiny", "--plain", "--tools", "calm", ...words], { input: `${question}\n` });

  test("runs only what --allow names", async () => {
    const allowed = await pipe("--allow", "get_weather");
    expect(allowed).toMatchObject({ code: 0, output: expect.stringContaining(answer) });
    const refused = await pipe();
    expect(refused.code).toBe(2);
    expect(refused.errors).toContain("--allow does not name it");
  });
});

describe("The line chat", () => {
  async function open(tools: string, words: string[] = []): Promise<TestTerminal> {
    const terminal = await openTerminal(["run", "tiny", "--plain", "--tools", tools, ...words], {
      home: home.folder,
      environment: home.environment,
    });
    onTestFinished(() => terminal.close());
    await terminal.shows(">>>");
    return terminal;
  }

  function savedChats(): string {
    const folder = path.join(home.stateFolder, "sessions");
    const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    return files.map((name) => readFileSync(path.join(folder, name), "utf8")).join("");
  }

  async function askAndSee(terminal: TestTerminal): Promise<void> {
    await terminal.send(question);
    await terminal.shows("Run it? [y]es, [a]lways in this chat, [A]lways, [e]dit, [n]o:");
  }

  test("shows a call, asks, and runs it after a yes; the saved chat has both", async () => {
    const terminal = await open("calm", ["--session", "weather"]);
    await askAndSee(terminal);
    expect(terminal.text()).toContain("calm: get_weather (reads only, says its server)");
    expect(terminal.text()).toContain("  city: Paris");
    terminal.type("y\r");
    await terminal.shows(answer);
    terminal.type("/bye\r");
    expect(await terminal.exited).toBe(0);
    const resumed = await home.call(["run", "--session", "weather", "What is my name?"]);
    expect(resumed.code).toBe(0);
    expect(savedChats()).toContain(
      '"calls":[{"name":"get_weather","arguments":{"city":"Paris"},"server":"calm"',
    );
  });

  test("runs a call with changed arguments", async () => {
    const terminal = await open("calm");
    await askAndSee(terminal);
    terminal.type("e\r");
    await terminal.shows('Arguments (JSON): {"city":"Paris"}');
    terminal.type(`${"\u007f".repeat('Paris"}'.length)}Rome"}\r`);
    await terminal.shows("  city: Rome");
    terminal.type("y\r");
    await terminal.shows('"city":"Rome"');
    await terminal.shows(answer);
  });

  test("tells the model the reason of a no", async () => {
    const terminal = await open("calm");
    await askAndSee(terminal);
    terminal.type("n\r");
    await terminal.shows("Reason for the model (Enter for none):");
    terminal.type("ask me first\r");
    await terminal.shows("The user refused this call. Reason: ask me first");
  });

  test("asks once for a tool that is allowed in this chat, and again in another", async () => {
    const terminal = await open("calm");
    await askAndSee(terminal);
    terminal.type("a\r");
    await terminal.shows(answer);
    await terminal.send("What is the weather in Rome?");
    await terminal.shows('"city":"Rome"');
    expect(terminal.text().match(/Run it\?/g)).toHaveLength(1);
    expect(existsSync(path.join(home.stateFolder, "allowed-tools.json"))).toBe(false);
    await askAndSee(await open("calm"));
  });

  test("cancels a call that runs with Ctrl+C", async () => {
    const terminal = await open("slow");
    await askAndSee(terminal);
    terminal.type("y\r");
    await until(
      () => existsSync(path.join(home.folder, "called")),
      (isCalled) => isCalled,
    );
    terminal.type(controlC);
    await terminal.send("What is the capital of France?");
    await terminal.shows("The capital of France is Paris.");
  });

  test("keeps a permission for all chats until the description changes", async () => {
    const first = await open("calm");
    await askAndSee(first);
    first.type("A\r");
    await first.shows(answer);
    await first.close();
    const file = path.join(home.stateFolder, "allowed-tools.json");
    expect(Object.values(JSON.parse(readFileSync(file, "utf8")))).toEqual(["calm: get_weather"]);
    const second = await open("calm");
    await second.send(question);
    await second.shows(answer);
    expect(second.text()).not.toContain("Run it?");
    await askAndSee(await open("crashing"));
  });

  test("attaches a resource that a message names, and completes its name", async () => {
    const terminal = await open("calm", ["--session", "stations"]);
    terminal.type("What stands in @cal\t");
    await terminal.shows("@calm:weather://stations");
    terminal.type("?\r");
    await terminal.shows("attached calm:weather://stations");
    await terminal.shows(">>> ");
    terminal.type("/bye\r");
    expect(await terminal.exited).toBe(0);
    expect(savedChats()).toContain("Paris has three stations.");
  });

  test("writes a prompt of a server into the line, with its arguments", async () => {
    const terminal = await open("calm");
    await terminal.send("/prompt");
    await terminal.shows("1  calm: forecast  Asks for the weather");
    terminal.type("7\r");
    await terminal.shows("Choose a number from 1 to");
    terminal.type("1\r");
    await terminal.shows("forecast, city");
    terminal.type("\r");
    await terminal.shows("city is required.");
    terminal.type("Paris\r");
    await terminal.shows(`>>> ${question}`);
    terminal.type("\r");
    await terminal.shows(answer);
    await terminal.send("/prompt");
    // The third time: the first list was asked about twice.
    await terminal.shows(/(?:Number[\s\S]*){3}/);
    terminal.type(controlC);
    await terminal.send("What is the capital of France?");
    await terminal.shows("The capital of France is Paris.");
  });

  test("holds a prompt of several lines together", async () => {
    const terminal = await open("calm", ["--session", "compared", "--allow", "get_weather"]);
    await terminal.send("/prompt");
    await terminal.shows("2  calm: compare");
    terminal.type("2\r");
    await terminal.shows('... And in Rome?"""');
    terminal.type("\r");
    await terminal.shows(/Rome\?"""[\s\S]*>>>\s*$/);
    terminal.type("/bye\r");
    expect(await terminal.exited).toBe(0);
    expect(savedChats()).toContain("What is the weather in Paris?\\nAnd in Rome?");
  });

  test("needs --tools for prompts", async () => {
    const terminal = await openTerminal(["run", "tiny", "--plain"], {
      home: home.folder,
      environment: home.environment,
    });
    onTestFinished(() => terminal.close());
    await terminal.shows(">>>");
    await terminal.send("/prompt");
    await terminal.shows("No tools: start with --tools NAME");
  });

  test("leaves no server behind", async () => {
    const servers = () =>
      processesOfHome(home.folder).filter(({ text }) => text.includes("weather-server"));
    await until(servers, (found) => found.length === 0);
  });
});

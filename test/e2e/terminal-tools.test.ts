// Tools in the full-screen chat: the real model calls a real tool server, and a person decides.
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Home } from "../support/command-line.ts";
import { processesOfHome } from "../support/processes.ts";
import { openTerminal, type TerminalOptions, type TestTerminal } from "../support/pty.ts";
import { sharedServer } from "../support/shared-server.ts";
import { until } from "../support/until.ts";

const program = path.join(import.meta.dirname, "..", "support", "weather-server.ts");
const question = "What is the weather in Paris?";
const answer = "The tool says: ";
const choices = "y run once  a always in this chat  A always  e edit  n refuse";
const escapeKey = "\u001b";
const controlD = "\u0004";
const backspace = "\u007f";

let home: Home;
let host: string;
beforeAll(async () => {
  host = new URL((await sharedServer()).url).host;
  home = await Home.create();
  for (const mode of ["calm", "slow", "crashing"]) {
    await home.call(["mcp", "add", mode, "--", process.execPath, program, mode]);
  }
});
afterAll(async () => await home.remove());

async function open(
  tools: string,
  words: string[] = [],
  options: TerminalOptions = {},
): Promise<TestTerminal> {
  const terminal = await openTerminal(["run", "tiny", "--tools", tools, ...words], {
    ...options,
    home: home.folder,
    environment: { ...home.environment, MODELCTL_HOST: host, ...options.environment },
  });
  onTestFinished(() => terminal.close());
  await terminal.takesKeys();
  return terminal;
}

async function askAndSee(terminal: TestTerminal, asked = question): Promise<void> {
  await terminal.shows("Send a message");
  await terminal.send(asked);
  await terminal.shows(choices);
}

describe("A call on the full screen", () => {
  test("is shown as a card, and runs after a yes; the saved chat shows it again", async () => {
    const chat = await open("calm", ["--session", "weather"]);
    await askAndSee(chat);
    expect(chat.text()).toContain("calm: get_weather");
    expect(chat.text()).toContain("reads only, says its server");
    expect(chat.text()).toContain("│ city: Paris ");
    await chat.shows("waits for your decision");
    chat.type("y");
    await chat.shows(answer);
    expect(chat.text()).toContain('→ {"city":"Paris","temperature":18,"sky":"clear"}');
    expect(chat.text()).toContain("✓ done");
    await chat.shows("Enter send");
    chat.type(controlD);
    expect(await chat.exited).toBe(0);
    const resumed = await open("calm", ["--session", "weather"]);
    await resumed.shows("✓ done");
    expect(resumed.text()).toContain("calm: get_weather");
    expect(resumed.text()).toContain('→ {"city":"Paris","temperature":18,"sky":"clear"}');
    await resumed.send("What is my name?");
    await resumed.shows("Your name");
  });

  test("runs with edited arguments; wrong JSON is corrected first", async () => {
    const chat = await open("calm");
    await askAndSee(chat);
    chat.type("e");
    await chat.shows("Arguments of get_weather (JSON)");
    chat.type(`${backspace.repeat('Paris"\n}'.length)}Rome"`);
    await chat.shows('"city": "Rome"');
    chat.type("\r");
    await chat.shows("expected a comma or }");
    chat.type("}\r");
    await chat.shows("│ city: Rome ");
    chat.type("y");
    await chat.shows('→ {"city":"Rome"');
    await chat.shows(answer);
  });

  test("that is refused tells the model why", async () => {
    const chat = await open("calm");
    await askAndSee(chat);
    chat.type("n");
    await chat.shows("Refuse calm: get_weather. Reason for the model (or none):");
    chat.type("ask me first\r");
    await chat.shows("→ The user refused this call. Reason: ask me first");
    await chat.shows("⊘ refused");
    await chat.shows("The tool says");
  });

  test("is asked about once after an a, and again in a new chat", async () => {
    const chat = await open("calm");
    await askAndSee(chat);
    chat.type("a");
    await chat.shows(answer);
    await chat.shows("Enter send");
    await chat.send("What is the weather in Rome?");
    await chat.shows('→ {"city":"Rome"');
    expect(chat.text()).not.toContain(choices);
    await chat.shows("Enter send");
    await chat.send("/new");
    await chat.shows("For example");
    await askAndSee(chat);
  });

  test("shows its seconds, and Esc cancels it", async () => {
    const chat = await open("slow");
    await askAndSee(chat);
    chat.type("y");
    await chat.shows("running 1 s · Esc cancels");
    chat.type(escapeKey);
    await chat.shows("⊘ cancelled");
    await chat.send("What is the capital of France?");
    await chat.shows("The capital of France is Paris.");
  });

  test("of a server that crashes is told to the model", async () => {
    const chat = await open("crashing");
    await askAndSee(chat);
    chat.type("y");
    await chat.shows("✗ failed");
    expect(chat.text()).toMatch(/→ Error: The tool server crashing ended with/);
    await chat.shows("Enter send");
  });

  test("is spoken by the screen reader, and drawn inline", async () => {
    const reader = await open("calm", ["--screen-reader"]);
    await reader.shows("Message:");
    reader.type(`${question}\r`);
    await reader.shows("Call: calm: get_weather, city Paris, reads only, says its server.");
    expect(reader.text().replaceAll(/\s+/g, " ")).toContain(
      "y runs it, a always in this chat, A always, e edits it, n refuses it.",
    );
    reader.type("y");
    await reader.shows("(called calm: get_weather, city Paris)");
    await reader.shows('(result) {"city":"Paris"');
    await reader.close();
    const inline = await open("calm", ["--inline"]);
    await askAndSee(inline);
    inline.type("y");
    await inline.shows("✓ done");
    await inline.shows(answer);
  });

  test("needs a server that is on; its resources and prompts are at hand", async () => {
    const chat = await open("calm");
    await chat.shows("Send a message");
    await chat.send("/tools");
    await chat.shows(/Tools: \d+ of 4,096 tokens/);
    await chat.shows("[x] get_weather");
    expect(chat.text()).toMatch(/\[x\] calm +ready, 8 tools, \d+ tokens/);
    expect(chat.text()).toMatch(/\[ \] files +off, built in/);
    chat.type(escapeKey);
    await chat.showsNot("[x] get_weather");
    await chat.send("/prompt");
    await chat.shows("Asks for the weather");
    chat.type("\r");
    await chat.shows("forecast, city: Name of a city");
    chat.type("Oslo\r");
    await chat.shows("> What is the weather in Oslo?");
    chat.type("\u0015");
    await chat.shows("Send a message");
    chat.type("Read @calm:wea");
    await chat.shows("Weather stations");
    chat.type("\t\r");
    await chat.shows(/attached calm:weather:\/\/stations, \d+ tokens/);
  });

  test("leaves no server behind", async () => {
    const servers = () =>
      processesOfHome(home.folder).filter(({ text }) => text.includes("weather-server"));
    await until(servers, (found) => found.length === 0);
  });
});

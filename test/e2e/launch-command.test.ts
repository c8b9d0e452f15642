// modelctl launch: agents are small programs on the PATH, which ask the server that they are pointed at.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Home, tinyFile } from "../support/command-line.ts";
import { askingAgent, writeFakeAgent, writeProgram } from "../support/fake-agent.ts";
import { plainTemplate } from "../support/openai-client.ts";
import { openTerminal, type TestTerminal } from "../support/pty.ts";
import { until } from "../support/until.ts";

const question = "What is the capital of France?";
const controlP = "\u0010";

let home: Home;
beforeEach(async () => {
  home = await Home.create();
});
afterEach(async () => await home.remove());

const programs = () => path.join(home.folder, "programs");
/** Only the test's agents are installed. */
const onPath = () => ({ PATH: `${programs()}:/usr/bin:/bin` });

/** Returns the files in the user's home that are not modelctl's, with their content. */
function usersFiles(): Record<string, string> {
  const own = /^(data|state|cache|inputs|programs)(\/|$)/;
  return Object.fromEntries(
    readdirSync(home.folder, { recursive: true, encoding: "utf8" })
      .filter((name) => !own.test(name) && statSync(path.join(home.folder, name)).isFile())
      .map((name) => [name, readFileSync(path.join(home.folder, name), "utf8")]),
  );
}

describe("an agent", () => {
  test("uses the model through a server that is started for it, and its exit code is ours", async () => {
    writeFakeAgent(programs(), askingAgent);
    mkdirSync(path.join(home.folder, ".pi", "agent"), { recursive: true });
    writeFileSync(path.join(home.folder, ".pi", "agent", "models.json"), '{"mine": true}');
    const before = usersFiles();
    const outcome = await home.run(["launch", "pi", "tiny", "--", "-p", question], {
      environment: onPath(),
    });
    const extension = path.join(home.folder, "data", "modelctl", "agents", "pi", "modelctl.js");
    expect(outcome).toMatchObject({ code: 7, errors: expect.stringContaining("4096 tokens") });
    expect(JSON.parse(outcome.output)).toEqual({
      words: [
        ...["--extension", extension, "--provider", "modelctl", "--model", "tiny"],
        ...["-p", question],
      ],
      model: "tiny",
      window: 4096,
      answer: "The capital of France is Paris.",
    });
    expect(usersFiles()).toEqual(before);
    expect(home.serverFile()?.url).toBe(home.url);
  });

  test("is told how to get a name for a model that is given by its path", async () => {
    writeFakeAgent(programs(), askingAgent);
    const outcome = await home.run(["launch", "pi", tinyFile], { environment: onPath() });
    expect(outcome).toMatchObject({
      code: 4,
      errors: expect.stringMatching(
        /may not read the file .*tiny-chat\.gguf .*modelctl create NAME/,
      ),
    });
  });

  test("ends with its own exit code when the server is killed under it", async () => {
    const server = path.join(home.stateFolder, "server.json");
    writeFakeAgent(
      programs(),
      `
      process.kill(JSON.parse(require("node:fs").readFileSync("${server}", "utf8")).pid, "SIGKILL");
      for (;;) if (await ask("x").then(() => false, () => true)) break;
      process.exitCode = 9;`,
    );
    const { code, errors } = await home.run(["launch", "pi", "tiny"], { environment: onPath() });
    expect(code).toBe(9);
    expect(errors).toContain(home.url);
  });

  test("that a signal ends has the exit code that a shell gives it", async () => {
    writeFakeAgent(programs(), 'process.kill(process.pid, "SIGKILL");');
    const { code } = await home.run(["launch", "pi", "tiny"], { environment: onPath() });
    expect(code).toBe(128 + 9);
  });

  test("gets a termination that was meant for it", async () => {
    writeFakeAgent(
      programs(),
      `
      process.on("SIGTERM", () => process.exit(6));
      console.log("running");
      setInterval(() => {}, 1000);`,
    );
    const launched = home.start(["launch", "pi", "tiny"], { environment: onPath() });
    await until(launched.output, (text) => text.includes("running"));
    launched.child.kill("SIGTERM");
    expect((await launched.ended).code).toBe(6);
  });

  test("passes a key by environment, and is refused without one", async () => {
    writeFakeAgent(programs(), askingAgent);
    const key = (await home.call(["keys", "create"])).output.trim();
    const environment = { ...onPath(), MODELCTL_REQUIRE_KEY: "true" };
    const words = ["launch", "pi", "tiny", "--", question];
    const refused = await home.run(words, { environment });
    expect(refused.code).toBe(4);
    expect(refused.errors).toContain("requires a key from pi");
    const allowed = await home.run(words, { environment: { ...environment, MODELCTL_KEY: key } });
    expect(allowed.code).toBe(7);
    expect(allowed.output).toContain("Paris");
    expect(allowed.output).not.toContain(key);
  });
});

describe("without starting anything", () => {
  test("--dry-run prints the command with its files and environment, but not the key", async () => {
    const words = ["launch", "codex", "qwen", "--dry-run", "--", "exec", "say hi"];
    const outcome = await home.call(words, { environment: { MODELCTL_KEY: "mk_secret" } });
    expect(outcome).toMatchObject({ code: 0, errors: "" });
    expect(outcome.output).toContain(`base_url="${home.url}/v1"`);
    expect(outcome.output).toMatch(/^# .*agents\/codex\/models\.json:\n# {3}\{"models"/);
    expect(outcome.output).toMatch(
      /^MODELCTL_KEY="\$MODELCTL_KEY" \\\ncodex -c .* exec 'say hi'$/m,
    );
    expect(outcome.output).not.toContain("mk_secret");
    expect(home.serverFile()).toBeUndefined();
    expect(existsSync(path.join(home.folder, "data", "modelctl", "agents"))).toBe(false);
  });

  test("--dry-run prints a command that a shell runs as launch does", async () => {
    writeFakeAgent(programs(), askingAgent);
    await home.call(["run", "tiny", "Hello"]);
    const words = ["launch", "pi", "tiny", "--", question];
    await home.run(words, { environment: onPath() }); // writes the extension
    const printed = await home.call([...words.slice(0, 3), "--dry-run", ...words.slice(3)]);
    const shell = home.startProgram("/bin/sh", ["-c", printed.output], { environment: onPath() });
    expect((await shell.ended).output).toContain("The capital of France is Paris.");
  });

  test("--print-config prints the agent's own configuration, and where it belongs", async () => {
    const outcome = await home.call(["launch", "opencode", "qwen", "--print-config"]);
    expect(outcome).toMatchObject({
      code: 0,
      errors: "Add to ~/.config/opencode/opencode.json:\n",
    });
    expect(JSON.parse(outcome.output)).toMatchObject({ model: "modelctl/qwen" });
    expect(home.serverFile()).toBeUndefined();
  });
});

describe("a launch is refused in one sentence", () => {
  test.each([
    [["launch", "cluade", "tiny"], 3, "Unknown agent 'cluade'. Did you mean claude?"],
    [["launch", "gemini", "tiny"], 4, "it speaks Google's API only"],
    [["launch", "codex", "tiny"], 3, "Codex is not installed: no program 'codex' on the PATH."],
    [["launch", "pi", "nothing"], 3, "not found. Built in: tiny"],
    [["launch", "codex", "--dry-run"], 2, "launch needs a model."],
    [["launch"], 2, "launch needs an agent."],
    [["launch", "pi"], 2, "No model here calls tools."],
    [["launch", "pi", "tiny", "more"], 2, "'more'"],
    [["launch", "pi", "tiny", "--connect", "http://127.0.0.1:9"], 8, "http://127.0.0.1:9"],
  ])("%j exits with %i", async (words, code, sentence) => {
    writeFakeAgent(programs(), askingAgent);
    const outcome = await home.call(words, { environment: onPath() });
    expect(outcome).toMatchObject({ code, output: "" });
    expect(outcome.errors).toMatch(/^Error: [^\n]*\n$/);
    expect(outcome.errors).toContain(sentence);
  });

  test("for a model that calls no tools", async () => {
    writeFakeAgent(programs(), askingAgent);
    const modelfile = path.join(home.folder, "Modelfile");
    writeFileSync(modelfile, `FROM tiny\nTEMPLATE """${plainTemplate}"""\n`);
    await home.call(["create", "toolless", "-f", "Modelfile"]);
    const outcome = await home.call(["launch", "pi", "toolless"], { environment: onPath() });
    expect(outcome).toMatchObject({ code: 4, output: "" });
    expect(outcome.errors).toContain("pi works by calling tools, which toolless cannot.");
  });

  test("for a window that cannot hold the agent's first prompt, with both numbers", async () => {
    writeProgram(programs(), "opencode", "#!/bin/sh\nexit 0\n");
    // The server of the first still runs for the second.
    for (const words of [[], ["--dry-run"]]) {
      const outcome = await home.call(["launch", "opencode", "tiny", ...words], {
        environment: onPath(),
      });
      expect(outcome).toMatchObject({ code: 4, output: "" });
      expect(outcome.errors).toContain(
        "opencode needs a window of 10048 tokens, and tiny has 4096, the most that it was trained for.",
      );
    }
  });
});

describe("in a terminal", () => {
  const open = async (words: string[]): Promise<TestTerminal> =>
    await openTerminal(words, {
      home: home.folder,
      columns: 120,
      rows: 40,
      environment: { ...home.environment, ...onPath() },
    });
  const numberOf = (terminal: TestTerminal, agent: string): string => {
    const row = terminal.lines().find((line) => line.includes(agent)) ?? "";
    return row.trim().split(" ")[0] ?? "";
  };
  /** Waits for a key, as real agents do. */
  const waitingAgent = `
    process.stdout.write("AGENT on " + model + "\\n");
    process.stdin.once("data", (key) => process.exit(String(key).startsWith("q") ? 0 : 3));`;

  test("the menu has the installed agents first, and starts the chosen one", async () => {
    writeFakeAgent(programs(), waitingAgent);
    await home.call(["cp", "tiny", "mine"]);
    const terminal = await open(["launch"]);
    try {
      await terminal.shows("Number, or Enter to cancel:");
      expect(numberOf(terminal, " pi ")).toBe("1");
      expect(terminal.text()).toContain("install with: npm install -g @openai/codex");
      terminal.type("99\r");
      terminal.type("1\r");
      // The only model here that calls tools and is not built in.
      await terminal.shows("AGENT on mine");
      terminal.type("q\r");
      expect(await terminal.exited).toBe(0);
    } finally {
      await terminal.close();
    }
  });

  test("a missing agent is installed after a yes, and only then", async () => {
    const installed = path.join(home.folder, "installed");
    writeFakeAgent(installed, waitingAgent);
    const install = `#!/bin/sh\necho "npm $*"\ncp "${installed}/pi" "${programs()}/pi"\n`;
    writeProgram(programs(), "npm", install);
    const refusing = await open(["launch", "pi", "tiny"]);
    try {
      await refusing.shows("Run npm install -g @mariozechner/pi-coding-agent? [y/N]");
      refusing.type("n\r");
      await refusing.shows("pi is not installed: no program 'pi' on the PATH.");
      expect(await refusing.exited).toBe(3);
      expect(existsSync(path.join(programs(), "pi"))).toBe(false);
    } finally {
      await refusing.close();
    }
    const agreeing = await open(["launch", "pi", "tiny"]);
    try {
      await agreeing.shows("? [y/N]");
      agreeing.type("y\r");
      await agreeing.shows("npm install -g @mariozechner/pi-coding-agent");
      await agreeing.shows("AGENT on tiny");
      agreeing.type("q\r");
      expect(await agreeing.exited).toBe(0);
    } finally {
      await agreeing.close();
    }
  });

  test("the full screen launches one on its model, and is back when it ends", async () => {
    writeFakeAgent(programs(), waitingAgent);
    const terminal = await open(["run", "tiny"]);
    try {
      await terminal.takesKeys();
      await terminal.shows("Enter send");
      terminal.type(`${controlP}agent`);
      await terminal.shows("Launch an agent");
      terminal.type("\r");
      await terminal.shows("installed");
      terminal.type("\r");
      await terminal.shows("AGENT on tiny");
      expect(terminal.buffer()).toBe("normal");
      terminal.type("q\r");
      await terminal.shows("Enter send");
      expect(terminal.buffer()).toBe("alternate");
      await terminal.send("/launch pi");
      await terminal.shows("AGENT on tiny");
      terminal.type("x\r");
      // Its last words can be read first.
      await terminal.shows("Press Enter to return.");
      terminal.type("\r");
      await terminal.shows("pi exited with 3");
      await terminal.send(question);
      await terminal.shows("The capital of France is Paris.");
    } finally {
      await terminal.close();
    }
  });
});

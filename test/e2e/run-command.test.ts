// Built command: one answer, the line chat, the background server, and exit codes.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  entryFile,
  Home,
  type Outcome,
  repositoryFolder,
  tinyFile,
} from "../support/command-line.ts";
import { apiPairs, type Pair, singleTurnPairs } from "../support/pairs.ts";
import { isAlive, processesOfHome } from "../support/processes.ts";
import { proofCases, proofRounds } from "../support/proof.ts";
import { openTerminal } from "../support/pty.ts";
import { until } from "../support/until.ts";

const controlC = "\u0003";
const capital = "What is the capital of France?";
const capitalAnswer = "The capital of France is Paris.";
/** Asks for a list that fills the window. */
const list = { type: "array", items: { type: "integer" }, minItems: 10_000 };
const longAnswer = ["run", "tiny", "Count.", "--format", JSON.stringify(list)];

const printed = (output: string): Outcome => ({ code: 0, output, errors: "" });
const promptOf = (pair: Pair) => pair.turns[0]?.[1] ?? "";

/** Has a background server with the tiny model, which tests share. */
let home: Home;
beforeAll(async () => {
  home = await Home.create();
});
afterAll(async () => await home.remove());

/** Creates a home for one test. */
async function freshHome(): Promise<Home> {
  const home = await Home.create();
  onTestFinished(async () => await home.remove());
  return home;
}

/** Returns the server processes of a home, without runners. */
function serversOf(home: Home) {
  return processesOfHome(home.folder).filter(({ text }) => !text.includes("runner-main"));
}

test("run without a name uses the only model here, and default_model before it", async () => {
  const own = await freshHome();
  const capitalIn = async (environment: Record<string, string> = {}) =>
    await own.call(["run"], { input: `${capital}\n`, environment });
  expect(await capitalIn()).toMatchObject({ output: `${capitalAnswer}\n` });
  writeFileSync(path.join(own.folder, "Modelfile"), `FROM ${tinyFile}\nSYSTEM You are a pirate.\n`);
  await own.call(["create", "pirate"]);
  expect(await capitalIn()).toMatchObject({ output: `Arr, ${capitalAnswer}\n` });
  const chosen = await capitalIn({ MODELCTL_DEFAULT_MODEL: "tiny" });
  expect(chosen).toMatchObject({ output: `${capitalAnswer}\n` });
  const listed = await own.call(["list", "pirate", "--speed"]);
  expect(listed.output).toMatch(/TOK\/S\npirate:latest .+ [\d.k-]+( expected)?\n$/);
});

describe("run MODEL PROMPT", () => {
  test("is tested with 24 questions", () => {
    expect(singleTurnPairs).toHaveLength(24);
  });

  const questions = singleTurnPairs.map((pair) => ({ prompt: promptOf(pair), pair }));
  test.each(proofCases(questions.slice(0, 6), questions.slice(6)))(
    "prints exactly the answer: $prompt",
    async ({ prompt, pair }) => {
      expect(await home.call(["run", "tiny", prompt])).toEqual(printed(`${pair.expect}\n`));
    },
  );

  test("joins words to one prompt and keeps numbers as typed", async () => {
    const words = "Repeat after me: hello world".split(" ");
    expect(await home.call(["run", "tiny", ...words])).toEqual(printed("hello world\n"));
    const figures = await home.call(["run", "tiny", "What", "is", "007", "+", "1.50?"]);
    const asOne = await home.call(["run", "tiny", "What is 007 + 1.50?"]);
    expect(figures).toEqual(asOne);
  });

  test("takes standard input alone as the prompt", async () => {
    expect(await home.call(["run", "tiny"], { input: capital })).toEqual(
      printed(`${capitalAnswer}\n`),
    );
  });

  test("takes words after -- literally", async () => {
    const plain = await home.call(["run", "tiny", "--", "--system is a flag"]);
    expect(plain).toMatchObject({ code: 0, errors: "" });
    expect(plain.output.trim()).not.toBe("");
  });

  test("--system sets the system prompt", async () => {
    expect(await home.call(["run", "tiny", "--system", "You are a cat.", "Hello!"])).toEqual(
      printed("Meow, Hello! How can I help you today?\n"),
    );
  });

  test("--verbose prints figures on standard error and only the answer on standard output", async () => {
    const { output, errors, code } = await home.call(["run", "tiny", capital, "--verbose"]);
    expect({ code, output }).toEqual({ code: 0, output: `${capitalAnswer}\n` });
    expect(errors).toMatch(/^total duration: {7}\S+\n/);
    expect(errors).toMatch(/^eval count: +13 token\(s\)$/m);
    expect(errors).toMatch(/^eval rate: +\d+\.\d\d tokens\/s$/m);
  });

  test("accepts a .gguf file: absolute, relative and from the home folder", async () => {
    const file = path.join(home.folder, "own.gguf");
    copyFileSync(tinyFile, file);
    // Every token of this answer is so likely that top_p leaves no other, whatever the temperature.
    for (const name of [file, "./own.gguf", "own.gguf", "~/own.gguf"]) {
      expect(await home.call(["run", name, capital])).toEqual(printed(`${capitalAnswer}\n`));
    }
  });

  test("--keepalive 0 unloads the model after the answer, and the server stays", async () => {
    expect(await home.call(["run", "own.gguf", capital, "--keepalive", "0"])).toEqual(
      printed(`${capitalAnswer}\n`),
    );
    const loaded = async () => {
      const { models } = (await (await fetch(`${home.url}/api/ps`)).json()) as {
        models: Array<{ name: string }>;
      };
      return models.filter(({ name }) => name.endsWith("own.gguf"));
    };
    await until(loaded, (models) => models.length === 0);
  });

  test("Ctrl+C ends the answer with exit code 130, and the server stays", async () => {
    const { child, output, ended } = home.start(longAnswer);
    await until(output, (text) => /\d/.test(text));
    child.kill("SIGINT");
    const outcome = await ended;
    expect(outcome).toMatchObject({ code: 130, errors: "" });
    expect(outcome.output).toMatch(/^\s*\[\s*-?\d/);
    expect(await home.call(["run", "tiny", capital])).toEqual(printed(`${capitalAnswer}\n`));
  });
});

describe("the line chat", () => {
  const loop = async (input: string, model = "tiny") =>
    await home.call(["run", model, "--plain"], { input });

  /** Returns the input of a conversation and its expected output, the assistant's turns. */
  function script(pair: Pair): { lines: string[]; answers: string[] } {
    const asked = pair.turns.filter(([role]) => role === "user").map(([, content]) => content);
    const earlier = pair.turns.filter(([role]) => role === "assistant").map(([, text]) => text);
    const system = pair.system === null ? [] : [`/set system ${pair.system}`];
    return { lines: ["/clear", ...system, ...asked], answers: [...earlier, pair.expect] };
  }

  test("gives the recorded answers, whole conversations included", async () => {
    expect(apiPairs.filter((pair) => pair.turns.length > 1)).toHaveLength(3);
    // A system prompt cannot be removed, so the conversations with one come last.
    const ordered = apiPairs.toSorted(
      (a, b) => Number(a.system !== null) - Number(b.system !== null),
    );
    const scripts = ordered.map(script);
    const typed = scripts.flatMap(({ lines }) => lines);
    const text = [...typed, "/bye", ""].join("\n");
    const own = await freshHome();
    const { code, output, errors } = await own.call(["run", "tiny", "--plain"], { input: text });
    expect(output).toBe(scripts.flatMap(({ answers }) => answers.map((a) => `${a}\n`)).join(""));
    expect(code).toBe(0);
    const withSystem = apiPairs.filter(({ system }) => system !== null);
    expect(withSystem.length).toBeGreaterThan(1);
    expect(errors).toBe("Set system prompt.\n".repeat(withSystem.length));
    // Nothing is left behind.
    expect(processesOfHome(own.folder)).toEqual([]);
    expect(own.serverFile()).toBeUndefined();
  });

  describe("with a background server", () => {
    beforeAll(async () => void (await home.call(["run", "tiny", ""])));

    test("does not quit at a second Ctrl+C after text was typed", async () => {
      const { folder, environment } = home;
      const terminal = await openTerminal(["run", "tiny", "--plain"], {
        home: folder,
        environment,
      });
      onTestFinished(() => terminal.close());
      await terminal.shows(">>>");
      for (const text of ["first", "second"]) {
        terminal.type(text);
        await terminal.shows(`>>> ${text}`);
        terminal.type(controlC);
        await terminal.showsNot(`>>> ${text}`);
      }
      terminal.type("/bye\r");
      expect(await terminal.exited).toBe(0);
    });

    test("reads several lines between triple quotes as one message", async () => {
      const message = "Repeat after me:\nhello world";
      const outcome = await loop(`"""\n${message}\n"""\n`);
      expect(outcome).toEqual(await home.call(["run", "tiny", message]));
      expect(outcome).toMatchObject({ code: 0, errors: "" });
    });

    test("ends with its input, also without a final line break", async () => {
      expect(await loop(capital)).toEqual(printed(`${capitalAnswer}\n`));
      expect(await loop("")).toEqual(printed(""));
    });

    test("reports a wrong command or value and continues", async () => {
      const lines = ["/nonsense", "/set parameter temperature warm", capital];
      const { code, output, errors } = await loop(lines.join("\n"));
      expect({ code, output }).toEqual({ code: 0, output: `${capitalAnswer}\n` });
      expect(errors).toContain("Unknown command '/nonsense'");
      expect(errors).toContain("temperature must be");
    });

    test("reports a failed request and answers the next one", async () => {
      const long = "word ".repeat(6000);
      const { code, output, errors } = await loop(`${long}\n${capital}\n`);
      expect({ code, output }).toEqual({ code: 0, output: `${capitalAnswer}\n` });
      expect(errors).toMatch(
        /^Error: The prompt is \d+ tokens long, which exceeds the context window of 4096/,
      );
    });

    test("keeps a parameter that was set: answers repeat at temperature 0", async () => {
      const lines = ["/set parameter temperature 0", "Who invented the rocket?", "/bye", ""];
      expect(await loop(lines.join("\n"))).toMatchObject({
        code: 0,
        output: "I do not know that. I am a tiny test model.\n",
      });
    });

    test("exits with 3 for an unknown model", async () => {
      const outcome = await loop(capital, "nobody");
      expect(outcome).toMatchObject({ code: 3, output: "" });
      expect(outcome.errors).toMatch(/^Error: model 'nobody' not found\..*\n$/);
    });
  });
});

describe("modelctl without arguments and terminal", () => {
  const sampleAnswer = {
    ...printed(`${capitalAnswer}\n`),
    // The question, and the command to run next.
    errors: expect.stringMatching(/"What is the capital of France\?".*\nNext: modelctl run tiny/),
  };

  test("prints the sample answer where nothing can be written", async () => {
    const home = await freshHome();
    const file = path.join(home.folder, "file.txt");
    writeFileSync(file, "");
    const environment = { XDG_STATE_HOME: file, XDG_CACHE_HOME: file, XDG_DATA_HOME: file };
    expect(await home.call([], { environment })).toEqual(sampleAnswer);
  });

  test("prints one answer and leaves no process and no server.json", async () => {
    const own = await freshHome();
    expect(await own.call([])).toEqual(sampleAnswer);
    expect(processesOfHome(own.folder).filter(({ id }) => isAlive(id))).toEqual([]);
    expect(own.serverFile()).toBeUndefined();
    await expect(fetch(own.url)).rejects.toThrow();
  });
});

describe("the background server", () => {
  test("loads the model for an empty prompt and exits", async () => {
    for (let round = 1; round <= 2; round += 1) {
      expect(await home.call(["run", "tiny", ""])).toEqual(printed(""));
      const reply = await fetch(`${home.url}/api/ps`);
      const { models } = (await reply.json()) as { models: unknown[] };
      expect(models).toContainEqual(expect.objectContaining({ name: "tiny:latest" }));
    }
  });

  test("is used by --connect, which starts none", async () => {
    const other = await freshHome();
    expect(await other.call(["run", "tiny", capital, "--connect", home.url])).toEqual(
      printed(`${capitalAnswer}\n`),
    );
    expect(processesOfHome(other.folder)).toEqual([]);
  });

  test("does not log prompts", async () => {
    await home.call(["run", "tiny", "Repeat after me: hello world"]);
    expect(readFileSync(path.join(home.stateFolder, "server.log"), "utf8")).not.toContain("hello");
  });

  describe("and commands started at once", () => {
    let own: Home;
    beforeAll(async () => {
      own = await Home.create();
      const folder = path.join(own.folder, "config", "modelctl");
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, "config.toml"), "context_length = 512\n");
    });
    afterAll(async () => await own.remove());
    const answer = printed(`${capitalAnswer}\n`);

    test("is shared, with one model, by three of them, which it outlives", async () => {
      // Each puts another kind of standard input before its prompt.
      const outcomes = (["file", "pipe", "socket"] as const).map((kind) =>
        own.run(["run", "tiny", "hello", "world"], { input: { kind, text: "Repeat after me:\n" } }),
      );
      const repeated = printed("hello world\n");
      expect(await Promise.all(outcomes)).toEqual([repeated, repeated, repeated]);
      const servers = await until(
        () => serversOf(own),
        (found) => found.length === 1,
      );
      expect(own.serverFile()).toMatchObject({ url: own.url, pid: servers[0]?.id });
      const log = readFileSync(path.join(own.stateFolder, "server.log"), "utf8");
      expect(log.match(/ loaded tiny/g)).toHaveLength(1);
      expect(log).not.toContain("could not be loaded ahead");
      const reply = await fetch(`${own.url}/api/version`);
      expect(await reply.json()).toMatchObject({ server: "modelctl" });
    });

    test("has a file that only the user can read, and the settings of the user's file", async () => {
      expect(statSync(path.join(own.stateFolder, "server.json")).mode & 0o777).toBe(0o600);
      const reply = await fetch(`${own.url}/api/ps`);
      expect(await reply.json()).toMatchObject({ models: [{ context_length: 512 }] });
    });

    test("is replaced after it was killed, by two that name a file", async () => {
      for (let round = 1; round <= proofRounds(10); round += 1) {
        const before = own.serverFile()?.pid;
        await own.killServer();
        expect(own.serverFile()?.pid).toBe(before);
        const outcomes = [1, 2].map(() => own.run(["run", tinyFile, capital]));
        expect(await Promise.all(outcomes)).toEqual([answer, answer]);
      }
      expect(await own.call(["run", "tiny", capital])).toEqual(answer);
      // The runners of dead servers have exited too.
      await until(
        () => processesOfHome(own.folder),
        (found) => found.length === 2,
      );
    });
  });

  test("is not started without a prompt", async () => {
    const home = await freshHome();
    expect(await home.call(["run", "tiny"])).toEqual({
      code: 2,
      output: "",
      errors: 'Error: The prompt is empty. For example: modelctl run tiny "Hello!"\n',
    });
    expect(home.serverFile()).toBeUndefined();
  });
});

describe("serve", () => {
  test("serves until Ctrl+C, then ends its runner, removes its file and exits with 130", async () => {
    const home = await freshHome();
    const { child, ended } = home.start(["serve"]);
    await until(
      () => home.serverFile(),
      (file) => file !== undefined,
    );
    expect(await home.call(["run", "tiny", capital])).toEqual(printed(`${capitalAnswer}\n`));
    child.kill("SIGINT");
    const outcome = await ended;
    expect(outcome).toMatchObject({ code: 130, output: "" });
    expect(outcome.errors).toContain(`modelctl is listening on ${home.url}\n`);
    expect(home.serverFile()).toBeUndefined();
    expect(processesOfHome(home.folder)).toEqual([]);
  });
});

describe("unwritable output", () => {
  beforeAll(async () => void (await home.call(["run", "tiny", capital])));

  test("a reader that closes the pipe early is no error and stops the work", async () => {
    const words = ["-c", '"$0" "$@" | head -c 10', process.execPath, entryFile, ...longAnswer];
    const outcome = await home.startProgram("/bin/sh", words).ended;
    expect(outcome).toEqual(printed(expect.stringMatching(/^\s*\[/)));
    expect(outcome.output).toHaveLength(10);
    const requests = async () => {
      const reply = await fetch(`${home.url}/api/requests`);
      return ((await reply.json()) as { requests: Array<{ status?: number }> }).requests;
    };
    await until(requests, (all) => all.at(-1)?.status === 499);
  });

  test("a failed write is reported in one sentence", async () => {
    const readOnly = path.join(home.folder, "read-only.txt");
    writeFileSync(readOnly, "");
    for (const words of [["--help"], ["run", "tiny", capital]]) {
      const command = `"$0" "$@" 1< "${readOnly}"`;
      const all = ["-c", command, process.execPath, entryFile, ...words];
      const { code, errors } = await home.startProgram("/bin/sh", all).ended;
      expect({ code, errors }).toEqual({ code: 1, errors: expect.stringMatching(/^Error: .+\n$/) });
    }
  });

  test("an unusable state folder is reported in one sentence that names it", async () => {
    const home = await freshHome();
    const file = path.join(home.folder, "file.txt");
    writeFileSync(file, "");
    const environment = { XDG_STATE_HOME: path.join(file, "state") };
    const { code, errors } = await home.call(["run", "tiny", capital], { environment });
    expect(code).toBe(1);
    expect(errors).toMatch(/^Error: .+\n$/);
    expect(errors).toContain(environment.XDG_STATE_HOME);
    expect(errors).toContain("it or a folder above it is a file");
    expect(await home.call(["serve"], { environment })).toEqual({ code: 1, output: "", errors });
  });

  test("an interrupted answer and the error are separate lines", async () => {
    const home = await freshHome();
    // Server that dies after the first word of an answer.
    const dying = createServer((request, response) => {
      if (request.url === "/api/version") {
        response.end(JSON.stringify({ version: "0.0.0", server: "modelctl" }));
      } else if (request.url === "/v1/models/tiny") {
        response.end(JSON.stringify({ id: "tiny" }));
      } else {
        const record = { model: "tiny", response: "The", done: false };
        response.write(`${JSON.stringify(record)}\n`, () => response.destroy());
      }
    });
    await new Promise<void>((resolve) => dying.listen(home.port, "127.0.0.1", resolve));
    onTestFinished(() => void dying.close());
    const outcome = await home.call(["run", "tiny", capital]);
    expect(outcome).toMatchObject({ code: 8, output: "The\n" });
    expect(outcome.errors).toMatch(/^Error: .+ closed the connection during an answer\. .+\n$/);
  });
});

describe("machine and settings", () => {
  test("doctor lists devices and where models run", async () => {
    const home = await freshHome();
    const { code, output, errors } = await home.call(["doctor"]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    for (const kind of ["cpu", "cuda", "metal", "vulkan", "rocm"]) {
      expect(output).toMatch(new RegExp(`^  [✓○] ${kind} +\\S`, "m"));
    }
    expect(output).toMatch(/^Models run on: cpu\./m);
    expect(processesOfHome(home.folder)).toEqual([]);
  });

  test("doctor --json prints the same as a document", async () => {
    const home = await freshHome();
    const { code, output, errors } = await home.call(["doctor", "--json"]);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    const kinds = ["cpu", "cuda", "metal", "vulkan", "rocm"];
    expect(JSON.parse(output)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node: process.versions.node,
      platform: process.platform,
      architecture: process.arch,
      cpu: { name: expect.any(String), cores: expect.any(Number) },
      memoryBytes: expect.any(Number),
      engine: {
        name: "node-llama-cpp",
        version: expect.any(String),
        extension: expect.any(String),
      },
      devices: kinds.map((kind) => ({
        kind,
        isAvailable: kind === "cpu" ? true : expect.any(Boolean),
        text: expect.any(String),
      })),
      models: { device: "cpu", names: expect.any(Array), reason: expect.any(String) },
      images: { reader: expect.any(String), prebuilt: expect.any(String) },
    });
  });

  test("config show --origin prints each value and its origin", async () => {
    const home = await freshHome();
    mkdirSync(path.join(home.folder, "config", "modelctl"), { recursive: true });
    const file = path.join(home.folder, "config", "modelctl", "config.toml");
    writeFileSync(file, "num_parallel = 3\n");
    const { code, output } = await home.call(["config", "show", "--origin", "--gpu", "cpu"], {
      environment: { OLLAMA_KEEP_ALIVE: "1h", HF_ENDPOINT: "http://me:hidden@hub.example" },
    });
    expect(code).toBe(0);
    const rows = output.split("\n").map((line) => line.trim().split(/ {2,}/));
    expect(rows).toContainEqual(["host", home.url, "MODELCTL_HOST"]);
    expect(rows).toContainEqual(["num_parallel", "3", file]);
    expect(rows).toContainEqual(["keep_alive", "1h", "OLLAMA_KEEP_ALIVE"]);
    expect(rows).toContainEqual(["max_body_size", "256 MiB", "default"]);
    expect(rows).toContainEqual(["gpu", "cpu", "--gpu"]);
    expect(rows).toContainEqual(["hub_endpoint", "http://***@hub.example", "HF_ENDPOINT"]);
    expect(rows).toContainEqual(["max_queue", "512", "default"]);
    expect(output).toContain(`file: ${file}\n`);
    const words = ["config", "show", "--json", "--host", "0.0.0.0", "--port", "1"];
    const json = await home.call(words);
    // The address that serve would bind: every interface.
    expect(JSON.parse(json.output)).toEqual(
      expect.arrayContaining([
        { name: "num_parallel", value: 3, origin: file },
        { name: "host", value: "http://0.0.0.0:1", origin: "--host, --port" },
      ]),
    );
    // Programs get numbers: milliseconds, and -1 for no limit.
    const good = await home.call(["config", "show", "--json"], {
      environment: { MODELCTL_KEEP_ALIVE: "-1", MODELCTL_LOAD_TIMEOUT: "10m" },
    });
    expect(JSON.parse(good.output)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "keep_alive", value: -1 }),
        expect.objectContaining({ name: "load_timeout", value: 600_000 }),
      ]),
    );
  });
});

describe("help and version", () => {
  const version = (
    JSON.parse(readFileSync(path.join(repositoryFolder, "package.json"), "utf8")) as {
      version: string;
    }
  ).version;

  let own: Home;
  beforeAll(async () => {
    own = await Home.create();
  });
  afterAll(async () => await own.remove());

  test.each([[["--version"]], [["-v"]]])("%j prints only the version", async (words) => {
    expect(await own.call(words)).toEqual(printed(`${version}\n`));
  });

  test.each([
    [["--help"], ["run [MODEL]", "serve", "Exit codes", "tiny"]],
    [["help"], ["run [MODEL]", "serve", "Exit codes", "tiny"]],
    [
      ["run", "--help"],
      ["modelctl run [MODEL]", "--keepalive TIME", "--verbose"],
    ],
    [
      ["help", "run"],
      ["modelctl run [MODEL]", "--keepalive TIME", "--verbose"],
    ],
  ])("%j prints help", async (words, expected) => {
    const { code, output, errors } = await own.call(words);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    for (const word of expected) expect(output).toContain(word);
  });

  test("they write nothing to the home folder", async () => {
    await own.run(["--help"]);
    expect(existsSync(path.join(own.folder, "state"))).toBe(false);
  });
});

describe("exit codes", () => {
  /** Without a server. */
  let own: Home;
  let stranger: Server;
  let strangerPort: number;

  beforeAll(async () => {
    own = await Home.create();
    stranger = createServer((_request, reply) => reply.end("I am somebody else"));
    await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
    const address = stranger.address();
    strangerPort = typeof address === "object" && address !== null ? address.port : 0;
    mkdirSync(path.join(own.folder, "folder.gguf"));
  });
  afterAll(async () => {
    stranger.close();
    await own.remove();
  });

  interface Case {
    words: string[];
    code: number;
    says: RegExp;
    environment?: Record<string, string>;
  }

  const cases: Case[] = [
    { words: ["frobnicate"], code: 2, says: /Unknown command 'frobnicate'/ },
    { words: ["run"], code: 2, says: /The prompt is empty/ },
    { words: ["run", "tiny", "x", "--nonsense"], code: 2, says: /Unknown flag --nonsense/ },
    { words: ["run", "tiny", "x", "-q"], code: 2, says: /Unknown flag -q/ },
    { words: ["run", "tiny", "x", "--system"], code: 2, says: /--system needs a value/ },
    {
      words: ["run", "tiny", "x", "--system", "a", "--system", "b"],
      code: 2,
      says: /--system is used twice/,
    },
    {
      words: ["run", "tiny", "x", "--port", "70000"],
      code: 2,
      says: /--port does not accept '70000'/,
    },
    { words: ["run", "tiny", "x", "--keepalive", "soon"], code: 2, says: /not a duration/ },
    { words: ["run", "tiny", "x", "--connect", "::::"], code: 2, says: /not an address/ },
    { words: ["run", "tiny", "x", "--gpu", "abacus"], code: 2, says: /--gpu .* auto, cpu/ },
    { words: ["serve", "tiny"], code: 2, says: /serve takes no 'tiny'/ },
    { words: ["config"], code: 2, says: /Missing subcommand of modelctl config: show/ },
    { words: ["run", "two words", "x"], code: 2, says: /invalid model name/ },
    { words: ["run", "./folder.gguf", "x"], code: 2, says: /is a directory/ },
    {
      words: ["config", "show"],
      environment: { MODELCTL_NUM_PARALLEL: "many" },
      code: 2,
      says: /MODELCTL_NUM_PARALLEL is "many"/,
    },
    { words: ["run", "nobody", "x"], code: 3, says: /model 'nobody' not found/ },
    { words: ["run", "./missing.gguf", "x"], code: 3, says: /missing\.gguf does not exist/ },
    {
      words: ["run", "tiny", "x", "--connect", "http://127.0.0.1:1"],
      code: 8,
      says: /No modelctl server answers at http:\/\/127\.0\.0\.1:1\./,
    },
    {
      words: ["run", "tiny", "x", "--host", "192.0.2.1"],
      code: 8,
      says: /No modelctl server answers at http:\/\/192\.0\.2\.1/,
    },
  ];

  test.each(cases.map((entry) => ({ title: entry.words.join(" "), ...entry })))(
    "$code: $title",
    async ({ words, code, says, environment = {} }) => {
      const outcome = await own.call(words, { environment });
      expect(outcome).toMatchObject({ code, output: "" });
      expect(outcome.errors).toMatch(says);
      // One line with what failed and why, without a stack.
      expect(outcome.errors).toMatch(/^Error: .+\n$/);
    },
  );

  test.each(["serve", "run tiny x", "run tiny --plain"])(
    "5: %s on a port that is in use",
    async (command) => {
      const words = command.split(" ");
      const outcome = await own.call([...words, "--port", String(strangerPort)]);
      expect(outcome.errors).toMatch(
        new RegExp(`^Error: Port ${strangerPort} on 127\\.0\\.0\\.1 is already in use`),
      );
      expect(outcome).toMatchObject({ code: 5, output: "" });
    },
  );

  test("5: a second server at the same address, which is recognised", async () => {
    await home.call(["run", "tiny", capital]);
    const outcome = await home.call(["serve"]);
    expect(outcome).toMatchObject({ code: 5, output: "" });
    expect(outcome.errors).toContain(`A modelctl server is already running at ${home.url}`);
    expect(await home.call(["run", "tiny", capital])).toEqual(printed(`${capitalAnswer}\n`));
  });

  test("6: a missing device, with advice", async () => {
    const fresh = await freshHome();
    const absent = process.platform === "darwin" ? "cuda" : "metal";
    const outcome = await fresh.call(["run", "tiny", "x", "--gpu", absent]);
    expect(outcome).toMatchObject({ code: 6, output: "" });
    expect(outcome.errors).toMatch(new RegExp(`^Error: .*${absent}.+\n$`, "i"));
  });

  test("7: a model that does not load in time", async () => {
    const fresh = await freshHome();
    const outcome = await fresh.call([], { environment: { MODELCTL_LOAD_TIMEOUT: "1ms" } });
    expect(outcome).toMatchObject({ code: 7, output: "" });
    expect(outcome.errors).toMatch(/\nError: Loading tiny stopped: no progress.+\n$/);
  });
});

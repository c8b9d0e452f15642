// Commands on the model store: their output and errors.
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Home, tinyFile } from "../support/command-line.ts";
import { entriesOf, writeModel } from "../support/model-store.ts";

let home: Home;
beforeAll(async () => {
  home = await Home.create();
});
afterAll(async () => await home.remove());

const at = (name: string) => path.join(home.folder, name);
const storeFolder = () => path.join(home.folder, "data", "modelctl", "models");

function write(name: string, text: string): string {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
  return at(name);
}

async function listed(): Promise<string[]> {
  const { output } = await home.call(["list", "--json"]);
  return (JSON.parse(output) as Array<{ name: string }>).map(({ name }) => name).sort();
}

describe("managing models", () => {
  test("create, list, show, cp and rm print what they did", async () => {
    const file = write("Modelfile", `FROM ${tinyFile}\nSYSTEM You are a pirate.\nLICENSE MIT\n`);
    const created = await home.call(["create", "mine", "-f", file]);
    expect(created).toMatchObject({ code: 0, output: "" });
    expect(created.errors.split("\n")).toEqual(
      expect.arrayContaining([
        "parsing GGUF",
        `referring to ${tinyFile}`,
        "writing manifest",
        "success",
      ]),
    );
    expect(await home.call(["cp", "mine", "team/copy:v1"])).toEqual({
      code: 0,
      output: "copied 'mine' to 'team/copy:v1'\n",
      errors: "",
    });
    const { output } = await home.call(["list"]);
    const rows = output
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(rows[0]).toEqual(["NAME", "ID", "SIZE", "MODIFIED"]);
    expect(
      rows
        .slice(1)
        .map(([name]) => name)
        .sort(),
    ).toEqual(["mine:latest", "team/copy:v1", "tiny:latest"]);
    for (const [, id, size] of rows.slice(1)) {
      expect(id).toMatch(/^[0-9a-f]{12}$/);
      expect(size).toBe("1.9 MB");
    }
    const shown = await home.call(["show", "team/copy:v1"]);
    expect(shown).toMatchObject({ code: 0, errors: "" });
    expect(shown.output).toContain("  System\n    You are a pirate.\n\n  License\n    MIT\n");
    expect(await home.call(["rm", "mine", "team/copy:v1"])).toEqual({
      code: 0,
      output: "deleted 'mine'\ndeleted 'team/copy:v1'\n",
      errors: "",
    });
    expect(await listed()).toEqual(["tiny:latest"]);
  });

  test("a Modelfile is read from standard input, this folder, or a given folder", async () => {
    const input = "FROM tiny\n";
    expect(await home.call(["create", "from-input", "-f", "-"], { input })).toMatchObject({
      code: 0,
    });
    write("here/Modelfile", `FROM ${tinyFile}\n`);
    expect(await home.call(["create", "from-here"], { folder: at("here") })).toMatchObject({
      code: 0,
    });
    writeModel(at("folder/model.gguf"));
    expect(await home.call(["create", "from-folder"], { folder: at("folder") })).toMatchObject({
      code: 0,
    });
    await home.call(["rm", "from-input", "from-here", "from-folder"]);
  });

  test("--copy copies the file into the store, the default refers to it", async () => {
    const blobs = () =>
      entriesOf(path.join(storeFolder(), "blobs")).filter((name) => name.startsWith("sha256-"));
    const before = blobs().length;
    await home.call(["create", "refers", "-f", write("M", `FROM ${tinyFile}\n`)]);
    expect(blobs().length).toBe(before + 1);
    await home.call(["create", "holds", "-f", at("M"), "--copy"]);
    expect(blobs().length).toBe(before + 2);
    await home.call(["rm", "refers", "holds"]);
    expect(blobs().length).toBe(before);
  });

  test("--json prints the created model", async () => {
    const { output } = await home.call(["create", "told", "-f", at("M"), "--json"]);
    expect(JSON.parse(output)).toMatchObject({
      name: "told:latest",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    await home.call(["rm", "told"]);
  });
});

test("list warns briefly about models with missing files", async () => {
  const names = ["lost1", "lost2", "lost3", "lost4", "lost5"];
  copyFileSync(tinyFile, at("losing.gguf"));
  const modelfile = write("Losing", "FROM ./losing.gguf\n");
  await home.call(["create", "lost1", "-f", modelfile]);
  for (const name of names.slice(1)) await home.call(["cp", "lost1", name]);
  expect((await home.call(["list", "lost"])).errors).toBe("");
  renameSync(at("losing.gguf"), at("lost.gguf"));
  const { code, output, errors } = await home.call(["list", "lost"]);
  expect(code).toBe(0);
  expect(output.trimEnd().split("\n")).toHaveLength(1 + names.length);
  const lines = errors.trimEnd().split("\n");
  expect(lines.slice(0, 3)).toEqual(
    Array(3).fill(
      expect.stringMatching(/^Warning: 'lost\d:latest' refers to .*losing\.gguf, which was/),
    ),
  );
  expect(lines.slice(3)).toEqual([
    "Warning: 2 more models have missing or changed files: see modelctl show NAME.",
  ]);
  const json = await home.call(["list", "--json"]);
  const complete = (JSON.parse(json.output) as Array<{ name: string; isComplete: boolean }>)
    .filter(({ isComplete }) => isComplete)
    .map(({ name }) => name);
  expect(complete).toEqual(["tiny:latest"]);
  await home.call(["rm", ...names]);
});

describe("show", () => {
  test("prints Ollama's sections in Ollama's order", async () => {
    const { output } = await home.call(["show", "tiny", "--verbose"]);
    const titles = output.match(/^ {2}\S.*$/gm)?.map((line) => line.trim());
    expect(titles).toEqual([
      "Model",
      "Capabilities",
      "Parameters",
      "Prompt template",
      "Metadata",
      "Tensors",
    ]);
    expect(output).toContain(
      `  Model
    architecture        llama
    parameters          954K
    context length      4096
    window              4096 tokens for each of 4 requests, if loaded now
    window limit        the model's training
    embedding length    128
    quantization        F16
`,
    );
    expect(output).toContain("  Capabilities\n    completion\n    tools\n");
    expect(output).toMatch(/^ {4}tokenizer\.ggml\.tokens +\[<\|pad\|> .* \.\.\.\+\d+ more\]$/m);
    expect(output).toMatch(/^ {4}token_embd\.weight +F16 +\[128 786\]$/m);
  });

  test("prints the server's whole reply as JSON", async () => {
    const { output } = await home.call(["show", "tiny", "--json"]);
    expect(JSON.parse(output)).toMatchObject({
      details: { family: "llama" },
      capabilities: ["completion", "tools"],
      template_origin: { origin: "gguf" },
    });
  });

  test("prints a single section", async () => {
    await home.call([
      "create",
      "said",
      "-f",
      write("M", "FROM tiny\nSYSTEM one\nLICENSE two\nPARAMETER stop x\n"),
    ]);
    for (const [flag, text] of [
      ["--system", "one\n"],
      ["--license", "two\n"],
      ["--parameters", 'stop                           "x"\ntemperature                    0\n'],
    ] as const) {
      expect(await home.call(["show", "said", flag])).toEqual({
        code: 0,
        output: text,
        errors: "",
      });
    }
    expect(await home.call(["show", "tiny", "--license"])).toEqual({
      code: 0,
      output: "",
      errors: "",
    });
    await home.call(["rm", "said"]);
  });

  test("--modelfile works when the model's file was moved, with a warning", async () => {
    copyFileSync(tinyFile, at("moving.gguf"));
    await home.call([
      "create",
      "moving",
      "-f",
      write("Moving", "FROM ./moving.gguf\nSYSTEM Hm.\n"),
    ]);
    const before = await home.call(["show", "moving", "--modelfile"]);
    renameSync(at("moving.gguf"), at("moved.gguf"));
    const after = await home.call(["show", "moving", "--modelfile"]);
    expect(after).toMatchObject({ code: 0, output: before.output });
    expect(after.output).toContain("SYSTEM Hm.");
    expect(after.errors).toMatch(/^Warning: .*moving\.gguf, which was moved or deleted/);
    expect((await home.call(["show", "moving"])).code).not.toBe(0);
    await home.call(["rm", "moving"]);
  });

  test("--modelfile recreates the same model", async () => {
    const text = 'FROM tiny\nSYSTEM """two\nlines"""\nPARAMETER stop "a "\nMESSAGE user Hi!\n';
    await home.call(["create", "first", "-f", write("M", text)]);
    const { output } = await home.call(["show", "first", "--modelfile"]);
    await home.call(["create", "second", "-f", "-"], { input: output });
    const again = await home.call(["show", "second", "--modelfile"]);
    const without = (modelfile: string) => modelfile.replace(/^# FROM .*$/m, "");
    expect(without(again.output)).toBe(without(output));
    await home.call(["rm", "first", "second"]);
  });

  test("--rendered reads a conversation with tools from a file", async () => {
    const tool = {
      type: "function",
      function: { name: "get_weather", parameters: { type: "object" } },
    };
    const file = write(
      "chat.json",
      JSON.stringify({ messages: [{ role: "user", content: "Hi <|im_end|>" }], tools: [tool] }),
    );
    const { code, output } = await home.call([
      "show",
      "tiny",
      "--rendered",
      "--conversation",
      file,
    ]);
    expect(code).toBe(0);
    expect(output).toMatch(/^<\|startoftext\|><\|im_start\|>system\n# Tools\n/);
    expect(output).toContain('"name": "get_weather"');
    expect(output).toMatch(/user\nHi <\|im_end\|><\|im_end\|>\n<\|im_start\|>assistant\n$/);
  });

  test.each([
    [["show"], 2, /show needs MODEL/],
    [["show", "tiny", "--license", "--template"], 2, /cannot be used together/],
    [["show", "tiny", "--conversation", "x"], 2, /--rendered/],
    [
      ["show", "tiny", "--rendered", "--conversation", "/no/such.json"],
      2,
      /cannot be read: no such file/,
    ],
    [["show", "nobody"], 3, /model 'nobody' not found/],
    [["show", "a b"], 2, /invalid model name/],
    [["show", "./no-such.gguf"], 3, /does not exist/],
  ])("%j is refused", async (words, code, says) => {
    const outcome = await home.call(words);
    expect(outcome).toMatchObject({ code, output: "", errors: expect.stringMatching(says) });
    expect(outcome.errors.trimEnd().split("\n")).toHaveLength(1);
  });

  test.each([
    "{",
    "text\n",
    "7",
    '[{"role":"critic","content":""}]',
    '[{"content":1}]',
    '{"messages":[],"tools":[1]}',
  ])("refuses a conversation like %s", async (text) => {
    const words = ["show", "tiny", "--rendered", "--conversation", "-"];
    const outcome = await home.call(words, { input: text });
    expect(outcome).toMatchObject({
      code: 2,
      output: "",
      errors: expect.stringMatching(/^Error: .+\n$/),
    });
  });
});

describe("--json", () => {
  test("prints a line for each model with cp, stop and rm", async () => {
    const printed = async (...words: string[]) => {
      const { output, code } = await home.call([...words, "--json"]);
      const objects = output
        .trimEnd()
        .split("\n")
        .map((line): unknown => JSON.parse(line));
      return { objects, code };
    };
    expect(await printed("cp", "tiny", "first-of-two")).toEqual({
      objects: [{ source: "tiny", name: "first-of-two:latest" }],
      code: 0,
    });
    await home.call(["cp", "tiny", "second-of-two"]);
    expect(await printed("stop", "first-of-two")).toEqual({
      objects: [{ name: "first-of-two:latest" }],
      code: 0,
    });
    // Removed models are printed although the last one fails.
    expect(await printed("rm", "first-of-two", "second-of-two", "nobody")).toEqual({
      objects: [{ name: "first-of-two:latest" }, { name: "second-of-two:latest" }],
      code: 3,
    });
  });
});

describe("ps and stop", () => {
  test("print an empty table without a server and start none", async () => {
    expect(await home.call(["ps"])).toEqual({
      code: 0,
      output: "NAME    ID    SIZE    PROCESSOR    CONTEXT    UNTIL\n",
      errors: "",
    });
    expect(await home.call(["ps", "--json"])).toEqual({ code: 0, output: "[]\n", errors: "" });
    expect(await home.call(["stop", "tiny"])).toEqual({ code: 0, output: "", errors: "" });
    expect(await home.call(["stop", "nobody"])).toMatchObject({
      code: 3,
      errors: expect.stringContaining(`couldn't find model "nobody" to stop`),
    });
    expect(home.serverFile()).toBeUndefined();
  });

  test.each([["ps"], ["stop", "tiny"]])(
    "%s reports a remote server that does not answer",
    async (...words) => {
      const environment = { MODELCTL_HOST: "192.0.2.1:11434" };
      expect(await home.call(words, { environment })).toEqual({
        code: 8,
        output: "",
        errors: expect.stringMatching(
          /^Error: No modelctl server answers at http:\/\/192\.0\.2\.1:11434\./,
        ),
      });
    },
  );

  test("show how far a model is that is being loaded", async () => {
    const entry = { name: "a", digest: "", size: 0, size_vram: 0, context_length: 4096, slots: 1 };
    const models = [
      { ...entry, state: "loading", load_progress: 0.618 },
      { ...entry, name: "b", state: "warming up", load_progress: 1 },
    ];
    const server = createServer((_request, reply) =>
      reply.end(JSON.stringify({ server: "modelctl", version: "0.1.0", models })),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const { output } = await home.call(["ps", "--connect", `http://127.0.0.1:${port}`]);
    expect(output).toMatch(/\na .* Loading 61%\.\.\.\nb .* Warming up\.\.\.\n$/);
  });

  test("list a loaded model and unload it without output", async () => {
    await home.call(["run", "tiny", "Hello!"]);
    const { output } = await home.call(["ps"]);
    expect(output).toMatch(
      /\ntiny:latest +[0-9a-f]{12} +\d+ MiB +100% CPU +4096 +\S.* from now\n$/,
    );
    expect((await home.call(["ps", "other"])).output.trimEnd().split("\n")).toHaveLength(1);
    const [entry] = JSON.parse((await home.call(["ps", "--json"])).output) as unknown[];
    expect(entry).toMatchObject({ name: "tiny:latest", requests: { running: 0, waiting: 0 } });
    expect(await home.call(["stop", "nobody"])).toMatchObject({
      code: 3,
      errors: expect.stringContaining(`couldn't find model "nobody" to stop`),
    });
    expect(await home.call(["stop", "tiny"])).toEqual({ code: 0, output: "", errors: "" });
    const models = async () => JSON.parse((await home.call(["ps", "--json"])).output) as unknown[];
    await expect.poll(models, { timeout: 20_000 }).toEqual([]);
  });

  test("name every model that shares the loaded weights", async () => {
    await home.call(["create", "twin", "-f", write("Twin", `FROM ${tinyFile}\nSYSTEM Hm.\n`)]);
    await home.call(["create", "other", "-f", write("Other", `FROM ${tinyFile}\n`)]);
    await home.call(["run", "twin", "Hello!"]);
    await home.call(["run", "other", "Hello!"]);
    const { output } = await home.call(["ps", "oth"]);
    expect(output).toMatch(/\ntwin:latest, other:latest {4}/);
    expect(output.trimEnd().split("\n")).toHaveLength(2);
    const processes = async () =>
      (JSON.parse((await home.call(["ps", "--json"])).output) as { process_id: number }[]).map(
        ({ process_id }) => process_id,
      );
    const before = await processes();
    expect(before).toHaveLength(1);
    // The weights stay loaded until the last model that uses them is unloaded.
    await home.call(["rm", "twin"]);
    expect(await processes()).toEqual(before);
    expect((await home.call(["ps"])).output).toMatch(/\nother:latest {4}/);
    await home.call(["stop", "other"]);
    await expect.poll(processes, { timeout: 20_000 }).toEqual([]);
    await home.call(["rm", "other"]);
  });

  test("show --modelfile reports a parameter that no Modelfile can express", async () => {
    await home.call(["run", "tiny", "Hello!"]); // its server stays
    const body = { model: "odd", from: "tiny", parameters: { mirostat: 2 }, stream: false };
    const reply = await fetch(`${home.url}/api/create`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    expect(reply.status).toBe(200);
    const { code, output, errors } = await home.call(["show", "odd", "--modelfile"]);
    const sentence =
      'parameters."mirostat" cannot be written in a Modelfile: there is no such parameter.';
    expect({ code, errors }).toEqual({ code: 0, errors: `${sentence}\n` });
    expect(output).toContain(`# ${sentence}\n`);
  });

  test("report that the named server is not running", async () => {
    const connect = ["--connect", "http://127.0.0.1:1"];
    for (const words of [
      ["ps", ...connect],
      ["stop", "tiny", ...connect],
    ]) {
      expect(await home.call(words)).toMatchObject({ code: 8, output: "" });
    }
  });
});

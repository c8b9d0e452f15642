// Models in other stores: Ollama's and LM Studio's, used in place, and another machine's.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { entryFile, Home, tinyFile } from "../support/command-line.ts";
import { entriesOf, writeOllamaModel } from "../support/model-store.ts";
import { openTerminal } from "../support/pty.ts";

const capital = "What is the capital of France?";
const capitalAnswer = "The capital of France is Paris.\n";
const tiny = readFileSync(tinyFile);

async function freshHome(): Promise<Home> {
  const home = await Home.create();
  onTestFinished(async () => await home.remove());
  return home;
}

function write(home: Home, name: string, text: string): string {
  writeFileSync(path.join(home.folder, name), text);
  return path.join(home.folder, name);
}

describe("Ollama's store", () => {
  const layers = [
    { kind: "model", content: tiny },
    { kind: "system", content: "You are a pirate." },
    { kind: "params", content: '{"temperature":0}' },
  ];

  /** Creates a home in which Ollama has a model. */
  async function homeOfOllama() {
    const home = await freshHome();
    const folder = path.join(home.folder, ".ollama", "models");
    mkdirSync(folder, { recursive: true });
    writeOllamaModel(folder, "theirs", layers);
    const state = () =>
      entriesOf(folder).map((name) => [name, statSync(path.join(folder, name)).mtimeMs]);
    return { home, state };
  }

  test("is listed with its own column, and its models run in place", async () => {
    const { home, state } = await homeOfOllama();
    const before = state();
    const { output } = await home.run(["list"]);
    expect(output).toMatch(/^NAME +ID +SIZE +MODIFIED +STORE$/m);
    expect(output).toMatch(/^theirs:latest .* ollama$/m);
    expect(output).toMatch(/^tiny:latest .* built-in$/m);
    expect((await home.run(["list", "--store", "ollama"])).output).not.toContain("tiny");
    expect(await home.run(["run", "theirs", capital])).toEqual({
      code: 0,
      output: `Arr, ${capitalAnswer}`,
      errors: "",
    });
    const shown = JSON.parse((await home.run(["show", "theirs", "--json"])).output) as unknown;
    expect(shown).toMatchObject({ store: "ollama", system: "You are a pirate." });
    expect(state()).toEqual(before);
  });

  test("is never written: its models can be copied and extended but not removed", async () => {
    const { home, state } = await homeOfOllama();
    const before = state();
    const file = write(home, "Modelfile", "FROM theirs\nSYSTEM You are a cat.\n");
    expect(await home.run(["create", "mine", "-f", file])).toMatchObject({ code: 0 });
    expect(await home.run(["cp", "theirs", "copy"])).toMatchObject({ code: 0 });
    expect((await home.run(["run", "mine", "Hello!"])).output).toBe(
      "Meow, Hello! How can I help you today?\n",
    );
    expect(await home.run(["rm", "theirs"])).toMatchObject({
      code: 4,
      errors: expect.stringContaining("ollama rm theirs"),
    });
    expect(await home.run(["rm", "mine", "copy"])).toMatchObject({ code: 0 });
    expect(state()).toEqual(before);
  });

  test("is found under another path by OLLAMA_MODELS", async () => {
    const home = await freshHome();
    const folder = path.join(home.folder, "elsewhere");
    writeOllamaModel(folder, "hf.co/maker/theirs:Q8_0", layers);
    const { output } = await home.run(["list"], { environment: { OLLAMA_MODELS: folder } });
    expect(output).toContain("hf.co/maker/theirs:Q8_0");
  });
});

test("a model unknown to the running server is reported to be in another store", async () => {
  const home = await freshHome();
  await home.run(["run", "tiny", "Hello!"]);
  const environment = { MODELCTL_MODELS: path.join(home.folder, "other-store") };
  const file = write(home, "Modelfile", "FROM tiny\n");
  expect(await home.run(["create", "hidden", "-f", file], { environment })).toMatchObject({
    code: 0,
  });
  expect(await home.run(["cp", "hidden", "hf.co/maker/hidden"], { environment })).toMatchObject({
    code: 0,
  });
  for (const name of ["hidden", "hf.co/maker/hidden"]) {
    expect(await home.run(["run", name, "Hello!"], { environment })).toMatchObject({
      code: 3,
      errors: expect.stringMatching(/^Error: .* which uses another store/),
    });
  }
});

test("LM Studio's models are listed, run in place, and cannot be removed", async () => {
  const home = await freshHome();
  const folder = path.join(home.folder, ".lmstudio", "models", "maker", "theirs");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "theirs-Q8_0.gguf"), tiny);
  const { output } = await home.run(["list"]);
  expect(output).toMatch(/^maker\/theirs:Q8_0 .* lm-studio$/m);
  expect(await home.run(["run", "maker/theirs", capital])).toEqual({
    code: 0,
    output: capitalAnswer,
    errors: "",
  });
  expect(await home.run(["run", "hf.co/maker/theirs:Q8_0", capital])).toMatchObject({
    output: capitalAnswer,
  });
  expect(await home.run(["rm", "maker/theirs"])).toMatchObject({
    code: 4,
    errors: expect.stringContaining("LM Studio's folder, which this program only reads"),
  });
  expect(await home.run(["export", "maker/theirs", "theirs.tar"])).toMatchObject({
    code: 4,
    errors: expect.stringContaining("modelctl cp maker/theirs NAME"),
  });
  expect(await home.run(["cp", "maker/theirs", "mine"])).toMatchObject({ code: 0 });
  expect((await home.run(["run", "mine", capital])).output).toBe(capitalAnswer);
});

describe("export and import", () => {
  test("move a model with everything it needs to another machine", async () => {
    const [from, to] = [await freshHome(), await freshHome()];
    const original = path.join(from.folder, "weights.gguf");
    writeFileSync(original, tiny);
    const modelfile = write(
      from,
      "Modelfile",
      'FROM ./weights.gguf\nSYSTEM You are a pirate.\nPARAMETER temperature 0\nPARAMETER stop "<|im_end|>"\nLICENSE MIT\nMESSAGE user Hi!\nMESSAGE assistant Arr!\n',
    );
    await from.run(["create", "pirate", "-f", modelfile]);
    const archive = path.join(from.folder, "pirate.tar");
    expect(await from.run(["export", "pirate", archive])).toMatchObject({
      code: 0,
      output: `exported 'pirate' to ${archive}\n`,
    });
    // The other machine shares no files with this one.
    rmSync(original);
    expect(await to.run(["import", archive])).toMatchObject({
      code: 0,
      output: "imported 'pirate:latest'\n",
    });
    expect(await to.run(["import", archive, "--as", "second"])).toMatchObject({ code: 0 });
    expect((await to.run(["run", "second", capital])).output).toBe(`Arr, ${capitalAnswer}`);
    const [here, there] = [
      await from.run(["show", "pirate", "--modelfile"]),
      await to.run(["show", "pirate", "--modelfile"]),
    ];
    const withoutPlace = ({ output }: { output: string }) => output.replace(/^FROM .*$/m, "");
    // The Modelfile of a model with a missing file is still printed, with a warning.
    expect(here.errors).toContain(original);
    expect(withoutPlace(here)).toBe(withoutPlace(there));
    expect(withoutPlace(there)).toContain("SYSTEM You are a pirate.");
    expect(there.output).toContain("MESSAGE assistant Arr!");
  });

  test("move it through a pipe", async () => {
    const [from, to] = [await freshHome(), await freshHome()];
    writeFileSync(path.join(from.folder, "weights.gguf"), tiny);
    await from.run(["create", "pirate", "-f", write(from, "Modelfile", "FROM ./weights.gguf\n")]);
    const other = path.join(to.folder, "models");
    const modelctl = `"${process.execPath}" "${entryFile}"`;
    const line = `${modelctl} export pirate - | MODELCTL_MODELS="${other}" ${modelctl} import - --as second`;
    const { code, output, errors } = await from.startProgram("/bin/sh", ["-c", line]).ended;
    expect({ code, output }).toEqual({ code: 0, output: "imported 'second:latest'\n" });
    expect(errors).toContain("exporting pirate: 100% 1.9 MB");
    expect(errors).toMatch(/importing from standard input: \d/);
    const environment = { MODELCTL_MODELS: other };
    expect((await to.run(["run", "second", capital], { environment })).output).toBe(capitalAnswer);
    expect(await from.run(["export", "pirate", "-", "--json"])).toMatchObject({
      code: 2,
      output: "",
      errors: expect.stringContaining("--json cannot be used with standard output as the archive."),
    });
  });

  test("fail when the reader leaves before the archive is complete", async () => {
    const home = await freshHome();
    await home.run(["cp", "tiny", "mine"]);
    const line = '{ "$0" "$@"; echo "exit $?" >&2; } | head -c 1000 | wc -c';
    const words = ["-c", line, process.execPath, entryFile, "export", "mine", "-"];
    const { output, errors } = await home.startProgram("/bin/sh", words).ended;
    expect(output.trim()).toBe("1000");
    expect(errors).toMatch(
      /Error: Output pipe closed early: the archive of 'mine' is incomplete\..+\nexit 1\n$/,
    );
  });

  test("refuse a damaged archive and leave nothing behind", async () => {
    const home = await freshHome();
    const archive = path.join(home.folder, "tiny.tar");
    await home.run(["cp", "tiny", "mine"]);
    await home.run(["export", "mine", archive]);
    await home.run(["rm", "mine"]);
    const bytes = readFileSync(archive);
    bytes.writeUInt8(bytes.readUInt8(1_000_000) ^ 1, 1_000_000);
    writeFileSync(archive, bytes);
    const outcome = await home.run(["import", archive]);
    expect(outcome.code).not.toBe(0);
    expect(outcome.errors.match(/^Error: /gm)).toHaveLength(1);
    expect((await home.run(["list", "--json"])).output).not.toContain("mine");
  });
});

test("control characters in a model's texts are escaped on a terminal", async () => {
  const home = await freshHome();
  const file = write(home, "Modelfile", "FROM tiny\nSYSTEM before\u001b[2Jafter\n");
  await home.run(["create", "sly", "-f", file]);
  const terminal = await openTerminal(["show", "sly", "--system"], {
    home: home.folder,
    environment: home.environment,
  });
  try {
    await terminal.shows("before\\u{1b}[2Jafter");
    expect(terminal.raw()).not.toContain("\u001b[2J");
  } finally {
    await terminal.close();
  }
  expect((await home.run(["show", "sly", "--system"])).output).toBe("before\u001b[2Jafter\n");
});

// Models in other stores: Ollama's and LM Studio's, used in place, and another machine's.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entryFile, Home, tinyFile } from "../support/command-line.ts";
import { entriesOf, writeOllamaModel } from "../support/model-store.ts";
import { openTerminal } from "../support/pty.ts";

const capital = "What is the capital of France?";
const capitalAnswer = "The capital of France is Paris.\n";
const tiny = readFileSync(tinyFile);

let home: Home;
/** Another machine's. */
let other: Home;
beforeAll(async () => {
  [home, other] = [await Home.create(), await Home.create()];
});
afterAll(async () => {
  await home.remove();
  await other.remove();
});

function write(name: string, text: string): string {
  writeFileSync(path.join(home.folder, name), text);
  return path.join(home.folder, name);
}

describe("Ollama's store", () => {
  const layers = [
    { kind: "model", content: tiny },
    { kind: "system", content: "You are a pirate." },
    { kind: "params", content: '{"temperature":0}' },
  ];

  const folder = () => path.join(home.folder, ".ollama", "models");
  const state = () =>
    entriesOf(folder()).map((name) => [name, statSync(path.join(folder(), name)).mtimeMs]);
  beforeAll(() => {
    mkdirSync(folder(), { recursive: true });
    writeOllamaModel(folder(), "theirs", layers);
  });

  test("is listed with its own column, and its models run in place", async () => {
    const before = state();
    const { output } = await home.call(["list"]);
    expect(output).toMatch(/^NAME +ID +SIZE +MODIFIED +STORE$/m);
    expect(output).toMatch(/^theirs:latest .* ollama$/m);
    expect(output).toMatch(/^tiny:latest .* built-in$/m);
    expect((await home.call(["list", "--store", "ollama"])).output).not.toContain("tiny");
    expect(await home.call(["run", "theirs", capital])).toEqual({
      code: 0,
      output: `Arr, ${capitalAnswer}`,
      errors: "",
    });
    const shown = JSON.parse((await home.call(["show", "theirs", "--json"])).output) as unknown;
    expect(shown).toMatchObject({ store: "ollama", system: "You are a pirate." });
    expect(state()).toEqual(before);
  });

  test("is never written: its models can be copied and extended but not removed", async () => {
    const before = state();
    const file = write("Modelfile", "FROM theirs\nSYSTEM You are a cat.\n");
    expect(await home.call(["create", "mine", "-f", file])).toMatchObject({ code: 0 });
    expect(await home.call(["cp", "theirs", "copy"])).toMatchObject({ code: 0 });
    expect((await home.call(["run", "mine", "Hello!"])).output).toBe(
      "Meow, Hello! How can I help you today?\n",
    );
    expect(await home.call(["rm", "theirs"])).toMatchObject({
      code: 4,
      errors: expect.stringContaining("ollama rm theirs"),
    });
    expect(await home.call(["rm", "mine", "copy"])).toMatchObject({ code: 0 });
    expect(state()).toEqual(before);
  });

  test("is found under another path by OLLAMA_MODELS", async () => {
    const folder = path.join(home.folder, "elsewhere");
    writeOllamaModel(folder, "hf.co/maker/theirs:Q8_0", layers);
    const { output } = await home.call(["list"], { environment: { OLLAMA_MODELS: folder } });
    expect(output).toContain("hf.co/maker/theirs:Q8_0");
  });
});

test("a model unknown to the running server is reported to be in another store", async () => {
  await home.call(["run", "tiny", "Hello!"]);
  const environment = { MODELCTL_MODELS: path.join(home.folder, "other-store") };
  const file = write("Modelfile", "FROM tiny\n");
  expect(await home.call(["create", "hidden", "-f", file], { environment })).toMatchObject({
    code: 0,
  });
  expect(await home.call(["cp", "hidden", "hf.co/maker/hidden"], { environment })).toMatchObject({
    code: 0,
  });
  for (const name of ["hidden", "hf.co/maker/hidden"]) {
    expect(await home.call(["run", name, "Hello!"], { environment })).toMatchObject({
      code: 3,
      errors: expect.stringMatching(/^Error: .* which uses another store/),
    });
  }
});

test("LM Studio's models are listed, run in place, and cannot be removed", async () => {
  const folder = path.join(home.folder, ".lmstudio", "models", "maker", "theirs");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "theirs-Q8_0.gguf"), tiny);
  const { output } = await home.call(["list"]);
  expect(output).toMatch(/^maker\/theirs:Q8_0 .* lm-studio$/m);
  expect(await home.call(["run", "maker/theirs", capital])).toEqual({
    code: 0,
    output: capitalAnswer,
    errors: "",
  });
  expect(await home.call(["run", "hf.co/maker/theirs:Q8_0", capital])).toMatchObject({
    output: capitalAnswer,
  });
  expect(await home.call(["rm", "maker/theirs"])).toMatchObject({
    code: 4,
    errors: expect.stringContaining("LM Studio's folder, which this program only reads"),
  });
  expect(await home.call(["export", "maker/theirs", "theirs.tar"])).toMatchObject({
    code: 4,
    errors: expect.stringContaining("modelctl cp maker/theirs NAME"),
  });
  expect(await home.call(["cp", "maker/theirs", "my-theirs"])).toMatchObject({ code: 0 });
  expect((await home.call(["run", "my-theirs", capital])).output).toBe(capitalAnswer);
});

describe("export and import", () => {
  test("move a model with everything it needs to another machine", async () => {
    const original = path.join(home.folder, "weights.gguf");
    writeFileSync(original, tiny);
    const modelfile = write(
      "Modelfile",
      'FROM ./weights.gguf\nSYSTEM You are a pirate.\nPARAMETER temperature 0\nPARAMETER stop "<|im_end|>"\nLICENSE MIT\nMESSAGE user Hi!\nMESSAGE assistant Arr!\n',
    );
    await home.call(["create", "pirate", "-f", modelfile]);
    const archive = path.join(home.folder, "pirate.tar");
    expect(await home.call(["export", "pirate", archive])).toMatchObject({
      code: 0,
      output: `exported 'pirate' to ${archive}\n`,
    });
    // The other machine shares no files with this one.
    rmSync(original);
    expect(await other.call(["import", archive])).toMatchObject({
      code: 0,
      output: "imported 'pirate:latest'\n",
    });
    expect(await other.call(["import", archive, "--as", "second"])).toMatchObject({ code: 0 });
    expect((await other.call(["run", "second", capital])).output).toBe(`Arr, ${capitalAnswer}`);
    const [here, there] = [
      await home.call(["show", "pirate", "--modelfile"]),
      await other.call(["show", "pirate", "--modelfile"]),
    ];
    const withoutPlace = ({ output }: { output: string }) => output.replace(/^FROM .*$/m, "");
    // The Modelfile of a model with a missing file is still printed, with a warning.
    expect(here.errors).toContain(original);
    expect(withoutPlace(here)).toBe(withoutPlace(there));
    expect(withoutPlace(there)).toContain("SYSTEM You are a pirate.");
    expect(there.output).toContain("MESSAGE assistant Arr!");
  });

  test("move it through a pipe", async () => {
    writeFileSync(path.join(home.folder, "weights.gguf"), tiny);
    await home.call(["create", "plain", "-f", write("Modelfile", "FROM ./weights.gguf\n")]);
    const models = path.join(other.folder, "data", "modelctl", "models");
    const modelctl = `"${process.execPath}" "${entryFile}"`;
    const line = `${modelctl} export plain - | MODELCTL_MODELS="${models}" ${modelctl} import - --as third`;
    const { code, output, errors } = await home.startProgram("/bin/sh", ["-c", line]).ended;
    expect({ code, output }).toEqual({ code: 0, output: "imported 'third:latest'\n" });
    expect(errors).toContain("exporting plain: 100% 1.9 MB");
    expect(errors).toMatch(/importing from standard input: \d/);
    expect((await other.call(["run", "third", capital])).output).toBe(capitalAnswer);
    expect(await home.call(["export", "plain", "-", "--json"])).toMatchObject({
      code: 2,
      output: "",
      errors: expect.stringContaining("--json cannot be used with standard output as the archive."),
    });
  });

  test("fail when the reader leaves before the archive is complete", async () => {
    await home.call(["cp", "tiny", "whole"]);
    const line = '{ "$0" "$@"; echo "exit $?" >&2; } | head -c 1000 | wc -c';
    const words = ["-c", line, process.execPath, entryFile, "export", "whole", "-"];
    const { output, errors } = await home.startProgram("/bin/sh", words).ended;
    expect(output.trim()).toBe("1000");
    expect(errors).toMatch(
      /Error: Output pipe closed early: the archive of 'whole' is incomplete\..+\nexit 1\n$/,
    );
  });

  test("refuse a damaged archive and leave nothing behind", async () => {
    const archive = path.join(home.folder, "tiny.tar");
    await home.call(["cp", "tiny", "damaged"]);
    await home.call(["export", "damaged", archive]);
    await home.call(["rm", "damaged"]);
    const bytes = readFileSync(archive);
    bytes.writeUInt8(bytes.readUInt8(1_000_000) ^ 1, 1_000_000);
    writeFileSync(archive, bytes);
    const outcome = await home.call(["import", archive]);
    expect(outcome.code).not.toBe(0);
    expect(outcome.errors.match(/^Error: /gm)).toHaveLength(1);
    expect((await home.call(["list", "--json"])).output).not.toContain("damaged");
  });
});

test("control characters in a model's texts are escaped on a terminal", async () => {
  const file = write("Modelfile", "FROM tiny\nSYSTEM before\u001b[2Jafter\n");
  await home.call(["create", "sly", "-f", file]);
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
  expect((await home.call(["show", "sly", "--system"])).output).toBe("before\u001b[2Jafter\n");
});

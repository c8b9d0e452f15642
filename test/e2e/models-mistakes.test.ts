// Users' mistakes with models: each error is one sentence with its position, and creates nothing.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Home, tinyFile } from "../support/command-line.ts";
import { badFiles } from "../support/gguf-variants.ts";
import {
  entriesOf,
  projectorFile,
  writeAdapter,
  writeModel,
  writePart,
} from "../support/model-store.ts";

let home: Home;
beforeAll(async () => {
  home = await Home.create();
});
afterAll(async () => await home.remove());

const at = (name: string) => path.join(home.folder, name);

/** Returns the files of models: blobs and manifests. */
function contents(): string[] {
  const store = path.join(home.folder, "data", "modelctl", "models");
  return ["blobs", "manifests"].flatMap((folder) => entriesOf(path.join(store, folder)));
}

function write(name: string, text: string): string {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), text);
  return at(name);
}

async function listed(): Promise<string[]> {
  const { output } = await home.call(["list", "--json"]);
  return (JSON.parse(output) as Array<{ name: string }>).map(({ name }) => name);
}

describe("an unknown name", () => {
  test("is answered with the closest name", async () => {
    const outcome = await home.call(["run", "tny", "Hello!"]);
    expect(outcome).toMatchObject({ code: 3, output: "" });
    expect(outcome.errors).toBe(
      "Error: model 'tny' not found. Did you mean tiny? Run modelctl list to see all models.\n",
    );
  });

  test("unlike any other lists the existing names", async () => {
    const outcome = await home.call(["run", "something-else", "Hello!"]);
    expect(outcome).toMatchObject({ code: 3, errors: expect.stringContaining("Built in: tiny") });
  });
});

test("control characters in names are escaped", async () => {
  const name = "\u001b[31mred.gguf";
  expect((await home.call(["show", name])).errors).toContain("\\u{1b}[31mred.gguf does not exist");
  await home.call(["create", "red", "-f", write("Red", `FROM ${writeModel(at(name))}\n`)]);
  rmSync(at(name));
  const { errors } = await home.call(["list"]);
  expect(errors).toMatch(/^Warning: 'red:latest' refers to .*\[31mred\.gguf, which was moved/);
  expect(errors).not.toContain("\u001b");
  await home.call(["rm", "red"]);
});

describe("creating from unusable input", () => {
  beforeAll(() => {
    writeAdapter(at("adapter.gguf"));
    writePart(at("hole-00001-of-00003.gguf"), 0, 3);
    writePart(at("hole-00003-of-00003.gguf"), 2, 3);
    write("text.gguf", "I am no model.");
    badFiles.find(({ name }) => name.startsWith("cut off in the middle"))?.make(at("cut.gguf"));
    mkdirSync(at("empty"));
    mkdirSync(at("safetensors"));
    write("safetensors/model.safetensors", "");
  });

  let before: string[] = [];
  beforeEach(() => {
    before = contents();
  });

  // Mistake, Modelfile, exit code and error.
  const table: Array<[what: string, modelfile: string, code: number, says: RegExp]> = [
    ["an unknown directive", "FROM tiny\nFORM x\n", 2, /line 2, column 1: .*FORM.*FROM/],
    ["a directive of another program", "FROM tiny\nRUN make\n", 2, /line 2, column 1/],
    [
      "an invalid number",
      "FROM tiny\nPARAMETER temperature hot\n",
      2,
      /line 2, column 23: .*temperature must be a number/,
    ],
    ["a number out of range", "FROM tiny\nPARAMETER repeat_penalty 0\n", 2, /line 2, column 26/],
    ["no FROM", "SYSTEM hello\n", 2, /line 2, column 1: .*no FROM/],
    ["nothing at all", "", 2, /no FROM/],
    [
      "a mistyped path",
      "# a comment\nFROM ./tinny.gguf\n",
      3,
      /line 2, column 6: .*tinny\.gguf does not exist/,
    ],
    [
      "a mistyped path without a dot",
      "FROM models/tinny.gguf\n",
      3,
      /line 1, column 6: .*does not exist/,
    ],
    [
      "a model as its own adapter",
      `FROM ${tinyFile}\nADAPTER ${tinyFile}\n`,
      2,
      /line 2, column 9: .* is a model, not an adapter/,
    ],
    [
      "a model as its own draft",
      `FROM ${tinyFile}\nDRAFT ${tinyFile}\n`,
      2,
      /line 2, column 7: .* cannot be its own draft/,
    ],
    ["a quote that stays open", 'FROM tiny\nSYSTEM """hello\n', 2, /line 2, column 8/],
    [
      "a template that cannot be read",
      "FROM tiny\nTEMPLATE {{ if .System }}x\n",
      2,
      /line 2, column 10: .*line 1, column/,
    ],
    [
      "a template in Jinja",
      'FROM tiny\nTEMPLATE """{% for m in messages %}{{ m["content"] }}{% endfor %}"""\n',
      2,
      /line 2, column 40: .*Jinja/,
    ],
    [
      "an unknown parameter",
      "FROM tiny\nPARAMETER temprature 1\n",
      2,
      /line 2, column 11: .*temperature/,
    ],
    ["an unknown role", "FROM tiny\nMESSAGE critic boo\n", 2, /line 2, column 9/],
    ["an invalid version", "FROM tiny\nREQUIRES soon\n", 2, /line 2, column 10/],
    ["a directory without a model", "FROM ./empty\n", 2, /line 1, column 6: .*empty/],
    ["a directory of safetensors", "FROM ./safetensors\n", 6, /line 1, column 6: .*GGUF/],
    [
      "a shard set with a hole",
      "FROM ./hole-00001-of-00003.gguf\n",
      6,
      /line 1, column 6: .*part 2 is missing/,
    ],
    ["a projector as the model", `FROM ${projectorFile}\n`, 2, /line 1, column 6: .*projector/],
    ["an adapter as the model", "FROM ./adapter.gguf\n", 2, /line 1, column 6: .*adapter/],
    [
      "a model as the adapter",
      `FROM tiny\nADAPTER ${tinyFile}\n`,
      2,
      /line 2, column 9: .*not an adapter/,
    ],
    ["a text as the model", "FROM ./text.gguf\n", 6, /line 1, column 6: .*not a GGUF model/],
    ["half a model", "FROM ./cut.gguf\n", 6, /line 1, column 6: .*truncated/],
    [
      "a later version",
      `FROM ${tinyFile}\nREQUIRES 99.0\n`,
      6,
      /line 2, column 10: .*requires Ollama 99\.0 or later/,
    ],
    ["an unknown model", "FROM nobody\n", 3, /line 1, column 6: model 'nobody' not found/],
    ["a name and a file", `FROM tiny\nFROM ${tinyFile}\n`, 2, /only one is allowed/],
    [
      "a missing adapter",
      "FROM tiny\nADAPTER ./none.gguf\n",
      3,
      /line 2, column 9: .*does not exist/,
    ],
  ];

  test.each(table)("%s", async (_, modelfile, code, says) => {
    const outcome = await home.call(["create", "half", "-f", write("Bad", modelfile)]);
    expect(outcome).toMatchObject({ code, output: "" });
    const [sentence = "", ...more] = outcome.errors
      .trimEnd()
      .split("\n")
      .filter((line) => line.startsWith("Error: "));
    expect(sentence).toMatch(says);
    expect(more).toEqual([]);
    expect(await listed()).not.toContain("half:latest");
    expect(contents()).toEqual(before);
  });

  test.each([
    [["create"], 2, /create needs NAME/],
    [["create", "a b", "-f", "-"], 2, /invalid model name/],
    [["create", "../up", "-f", "-"], 2, /not a model name|invalid model name/],
    [["create", "x:", "-f", "-"], 2, /invalid model name/],
    [["create", "tiny", "-f", "-"], 4, /is built in/],
    [
      ["create", "half", "-f", "/no/such/Modelfile"],
      2,
      /specified Modelfile wasn't found.*no such file/,
    ],
    [["create", "half", "-f", "/usr"], 2, /specified Modelfile cannot be read: \/usr: is a folder/],
    [["create", "half", "-f", "-", "-q", "Q4_X_M"], 2, /unknown type "Q4_X_M"/],
    [["rm"], 2, /rm needs MODEL/],
    [["rm", "nobody"], 3, /model 'nobody' not found/],
    [["rm", "tiny"], 4, /is built in/],
    [["cp", "tiny"], 2, /cp needs DESTINATION/],
    [["cp", "nobody", "x"], 3, /not found/],
    [["cp", "tiny", "x:"], 2, /invalid model name/],
    [["pull", "nobody"], 3, /file does not exist/],
    [["pull", "./file.gguf"], 2, /is a path/],
    [["list", "--store", "elsewhere"], 2, /--store does not accept/],
    [["import", "/no/such.tar"], 3, /no such file|does not exist|cannot/i],
  ])("%j is refused with one sentence", async (words, code, says) => {
    const outcome = await home.call(words, { input: "FROM tiny\n" });
    expect(outcome).toMatchObject({ code, output: "" });
    expect(outcome.errors).toMatch(says);
    expect(outcome.errors.match(/^Error: /gm)).toHaveLength(1);
    expect(contents()).toEqual(before);
  });

  test("invalid UTF-8 is reported with its position", async () => {
    writeFileSync(at("Bytes"), Buffer.from([...Buffer.from("FROM tiny\nSYSTEM a"), 0xff, 0xfe]));
    expect(await home.call(["create", "half", "-f", at("Bytes")])).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/line 2, column 9/),
    });
  });

  test("a failed replacement leaves the old model unchanged", async () => {
    await home.call(["create", "kept", "-f", write("Good", "FROM tiny\nSYSTEM one\n")]);
    const bad = write("Bad", "FROM ./text.gguf\nSYSTEM two\n");
    expect(await home.call(["create", "kept", "-f", bad])).toMatchObject({ code: 6 });
    expect((await home.call(["show", "kept", "--system"])).output).toBe("one\n");
    await home.call(["rm", "kept"]);
  });

  test("an unreadable file is named", async () => {
    const file = write("secret.gguf", "");
    writeModel(file);
    chmodSync(file, 0o000);
    chmodSync(home.folder, 0o755);
    // Root can read everything, so another user tries it.
    const user = process.getuid?.() === 0 ? { userId: 65_534 } : {};
    const outcome = await home.run(["show", file], user);
    expect(outcome).toMatchObject({
      code: 4,
      errors: expect.stringContaining("cannot be read: permission denied"),
    });
  });
});

// Prompts written to the disk: selection, time and failures.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PromptFolder } from "../../../source/engine/text/prompt-folder.ts";
import { Slot } from "../../../source/engine/text/slot.ts";
import {
  type StorablePrompt,
  type StoredPromptOptions,
  StoredPrompts,
} from "../../../source/engine/text/stored-prompts.ts";
import { until } from "../../support/until.ts";

let home: string;
let folder: string;
let lines: string[];

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), "modelctl-stored-"));
  folder = path.join(home, "prompts");
  lines = [];
  writeFileSync(path.join(home, "model.gguf"), "weights");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Saves a kilobyte for each of `savedTokens`, and loads nothing. */
const context = {
  savedTokens: 2000,
  disposeSequence: () => {},
  saveSequenceStateToFile: async (file: string) => {
    writeFileSync(file, Buffer.alloc(1000 * context.savedTokens));
    return 1000 * context.savedTokens;
  },
  loadSequenceStateFromFile: async (_file: string) => new Uint32Array(0),
};

const open = (changes: Partial<StoredPromptOptions> = {}) =>
  StoredPrompts.open({
    context,
    folder: new PromptFolder(folder),
    prefix: "model-",
    limits: { budgetBytes: 2 ** 30, maxAgeMs: undefined },
    windowTokens: 8192,
    model: { name: "m:latest", path: path.join(home, "model.gguf") },
    idleMs: 0,
    warn: (line) => lines.push(line),
    ...changes,
  });

const text = (first: number, length: number) => Array.from({ length }, (_, index) => first + index);

const prompt = (tokens: number[], isCuttable = true): StorablePrompt => ({
  tokens,
  isCuttable,
  source: { slotId: 0 },
});

const slow = 10; // milliseconds of computing a token
const limitMs = 60_000;
const names = () => (existsSync(folder) ? readdirSync(folder) : []);

async function write(prompts: StorablePrompt[], changes: Partial<StoredPromptOptions> = {}) {
  const stored = await open(changes);
  await stored.finish(prompts, slow, limitMs);
  return stored;
}

describe("a long prompt", () => {
  test("is found by the next run, as far as it matches", async () => {
    await write([prompt(text(0, 2000))]);
    const next = await open();
    expect(next.find(text(0, 3000))?.length).toBe(2000);
    expect(next.find([...text(0, 1500), ...text(9000, 100)])?.length).toBe(1500);
    // The last token must be computed.
    expect(next.find(text(0, 2000))?.length).toBe(1999);
    expect(next.find(text(5000, 2000))).toBeUndefined();
    expect(next.longestShared([...text(0, 700), 1])).toBe(700);
  });

  test("is reused only whole if it cannot be cut", async () => {
    await write([prompt(text(0, 2000), false)]);
    const next = await open();
    expect(next.find(text(0, 3000))?.length).toBe(2000);
    expect(next.find(text(0, 2000))).toBeUndefined();
  });

  test("is found only in files of the same model and setup", async () => {
    await write([prompt(text(0, 2000))]);
    expect((await open({ prefix: "other-" })).find(text(0, 3000))).toBeUndefined();
  });

  test("is loaded into a slot", async () => {
    await write([prompt(text(0, 2000))]);
    const next = await open();
    const match = next.find(text(0, 3000));
    if (match === undefined) throw new Error("it is not there");
    expect(next.isWorthLoading(match, 2000, 0)).toBe(true);
    expect(next.isWorthLoading(match, 2000, 1e-6)).toBe(false);
    const slot = new Slot<object>(1);
    slot.tokens = [7, 8];
    expect(await next.load(match, slot)).toBe(true);
    expect(slot.tokens).toEqual(text(0, 2000));
  });

  test("is copied from memory", async () => {
    const file = path.join(home, "memory.state");
    writeFileSync(file, "a state in memory");
    await write([{ ...prompt(text(0, 2000)), source: { file } }]);
    const [name = ""] = names();
    expect(readFileSync(path.join(folder, name), "latin1")).toMatch(/^a state in memory/);
    expect(existsSync(file)).toBe(true);
  });
});

describe("nothing is written", () => {
  test.each<[string, number[], number]>([
    ["of a short prompt", text(0, 1000), slow],
    ["with images", [...text(0, 2000), -5], slow],
    ["that is computed as fast as it is loaded", text(0, 2000), 1e-9],
    ["before it is known what computing costs", text(0, 2000), 0],
  ])("%s", async (_, tokens, computeMs) => {
    await (await open()).finish([prompt(tokens)], computeMs, limitMs);
    expect(names()).toEqual([]);
    expect(lines).toEqual([]);
  });

  test("that another file already saves computing", async () => {
    await write([prompt(text(0, 2000)), prompt([...text(0, 1900), ...text(9000, 900)])]);
    expect(names()).toHaveLength(1);
  });

  test("that would take most of the budget", async () => {
    await write([prompt(text(0, 2000))], {
      limits: { budgetBytes: 3_000_000, maxAgeMs: undefined },
    });
    expect(names()).toEqual([]);
  });

  test("of a model that was removed", async () => {
    rmSync(path.join(home, "model.gguf"));
    await write([prompt(text(0, 2000))]);
    expect(names()).toEqual([]);
  });

  test("while requests run, and a started write is aborted", async () => {
    const stored = await open();
    stored.onIdle(() => [prompt(text(0, 2000))], slow);
    await stored.resume();
    const saving = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const slowly = {
      ...context,
      saveSequenceStateToFile: async (file: string) => {
        saving.resolve();
        await held.promise;
        return await context.saveSequenceStateToFile(file);
      },
    };
    const other = await open({ context: slowly });
    other.onIdle(() => [prompt(text(0, 2000))], slow);
    await saving.promise;
    let isAwake = false;
    const resumed = other.resume().then(() => {
      isAwake = true;
    });
    // The context is in use: the request has to wait for that.
    expect(isAwake).toBe(false);
    held.resolve();
    await resumed;
    await until(names, (found) => found.length === 0);
    expect(lines).toEqual([]);
  });
});

test("prompts are written during a pause", async () => {
  (await open()).onIdle(() => [prompt(text(0, 2000))], slow);
  await until(names, ([name]) => name?.endsWith(".prompt") === true);
});

test("a longer prompt replaces its own prefix", async () => {
  await write([prompt(text(0, 2000)), prompt(text(0, 4000))]);
  expect(names()).toHaveLength(1);
  expect((await open()).find(text(0, 5000))?.length).toBe(4000);
});

describe("a problem", () => {
  test("with the folder is reported once", async () => {
    writeFileSync(folder, "in its place");
    const stored = await write([prompt(text(0, 2000))]);
    await stored.finish([prompt(text(0, 3000))], slow, limitMs);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^prompts cannot be stored on disk: it or a folder above it is a file/,
    );
  });

  test("with a full disk leaves no file", async () => {
    const full = {
      ...context,
      saveSequenceStateToFile: async (file: string) =>
        (await context.saveSequenceStateToFile(file)) + 1,
    };
    await write([prompt(text(0, 2000))], { context: full });
    expect(names()).toEqual([]);
    expect(lines).toEqual(["prompts cannot be stored on disk: the disk is full"]);
  });

  test("with saving is reported and leaves no file", async () => {
    const refusing = {
      ...context,
      saveSequenceStateToFile: async () => {
        throw new Error("Failed to save state to file");
      },
    };
    await write([prompt(text(0, 2000))], { context: refusing });
    expect(names()).toEqual([]);
    expect(lines).toEqual([
      "prompts cannot be stored on disk: llama.cpp could not write the file; the disk may be full",
    ]);
  });

  test("with a file that llama.cpp refuses is reported, and the file removed", async () => {
    await write([prompt(text(0, 2000))]);
    const refusing = {
      ...context,
      loadSequenceStateFromFile: async () => {
        throw new Error("Failed to load");
      },
    };
    const next = await open({ context: refusing });
    const match = next.find(text(0, 3000));
    if (match === undefined) throw new Error("it is not there");
    expect(await next.load(match, new Slot<object>(0))).toBe(false);
    expect(lines).toEqual([
      expect.stringMatching(/^the stored prompt .* was refused by llama\.cpp and was removed$/),
    ]);
    expect(names()).toEqual([]);
    expect(next.find(text(0, 3000))).toBeUndefined();
  });

  test("with a file that another server removed is not reported", async () => {
    await write([prompt(text(0, 2000))]);
    const next = await open();
    const match = next.find(text(0, 3000));
    if (match === undefined) throw new Error("it is not there");
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    expect(await next.load(match, new Slot<object>(0))).toBe(false);
    expect(lines).toEqual([]);
  });

  test("with slow writing ends it unfinished", async () => {
    const never = { ...context, saveSequenceStateToFile: () => new Promise<number>(() => {}) };
    const stored = await open({ context: never });
    await stored.finish([prompt(text(0, 2000))], slow, 50);
    expect(names()).toEqual([]);
  });
});

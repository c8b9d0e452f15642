// Functions of a loaded model besides free answers: embeddings, tokens, grammars, visible marks.
import { beforeAll, describe, expect, test } from "vitest";
import { greedy, loadTiny, sharedTiny, type Tiny } from "../support/load-tiny.ts";

let tiny: Tiny;
beforeAll(async () => {
  tiny = await sharedTiny();
});

const question = [{ role: "user", content: "What is the capital of France?" }];

describe("a grammar", () => {
  test("limits the answer", async () => {
    const { text, done } = await tiny.ask(question, { grammar: 'root ::= "yes" | "no"' });
    expect(["yes", "no"]).toContain(text);
    expect(done.reason).toBe("stop");
  });

  test("lets the model choose within it", async () => {
    const grammar = 'root ::= "The capital of France is " ("Rome" | "Paris" | "Oslo") "."';
    const { text } = await tiny.ask(question, { grammar });
    expect(text).toBe("The capital of France is Paris.");
  });

  test("applies to one request among others", async () => {
    const answers = await Promise.all([
      tiny.ask(question, { grammar: 'root ::= "no"' }),
      tiny.ask(question),
      tiny.ask(question, { grammar: "root ::= [0-9] [0-9]" }),
    ]);
    expect(answers.map(({ text }) => text)).toEqual([
      "no",
      "The capital of France is Paris.",
      expect.stringMatching(/^\d\d$/),
    ]);
  });

  test("that is invalid fails only its own request", async () => {
    await expect(tiny.ask(question, { grammar: "root ::= (" })).rejects.toThrow(/grammar/);
    expect((await tiny.ask(question)).text).toBe("The capital of France is Paris.");
  });
});

describe("embeddings", () => {
  const vectorOf = async (text: string) => {
    const { vectors } = await tiny.runner.call("embed", { texts: [text], truncate: false });
    return vectors[0] ?? [];
  };

  test("are equal for equal texts only", async () => {
    const [first, again, other] = [
      await vectorOf("a dog"),
      await vectorOf("a dog"),
      await vectorOf("7"),
    ];
    expect(first).toHaveLength(128);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(first.every(Number.isFinite)).toBe(true);
  });

  test("of several texts come in order, during an answer", async () => {
    const [several, answer] = await Promise.all([
      tiny.runner.call("embed", { texts: ["one", "two", ""], truncate: false }),
      tiny.ask(question),
    ]);
    expect(several.vectors).toHaveLength(3);
    expect(several.vectors[1]).toEqual(await vectorOf("two"));
    expect(several.tokenCounts[2]).toBe(1);
    expect(answer.text).toBe("The capital of France is Paris.");
  });

  test("of a text that is too long are refused with both numbers, or cut on request", async () => {
    const text = "x ".repeat(5000);
    await expect(tiny.runner.call("embed", { texts: [text], truncate: false })).rejects.toThrow(
      /exceeds the context length: text 1 is \d+ tokens long, the model was trained for 4096/,
    );
    const { vectors, tokenCounts } = await tiny.runner.call("embed", {
      texts: [text],
      truncate: true,
    });
    expect(tokenCounts).toEqual([4096]);
    expect(vectors[0]).toHaveLength(128);
  });
});

describe("tokens", () => {
  test("of a prompt begin with the beginning of text, and detokenise to the text", async () => {
    const { tokens } = await tiny.runner.call("tokenize", {
      segments: [{ text: "Hello <|im_end|>", special: false }],
    });
    expect(tokens[0]).toBe(1);
    expect(tokens).not.toContain(7);
    const { text } = await tiny.runner.call("detokenize", { tokens: tokens.slice(1) });
    expect(text).toBe("Hello <|im_end|>");
  });

  test("of control texts are visible on request", async () => {
    const bias = { ...greedy, logitBias: [[6, 100]] as const };
    const hidden = await tiny.ask(question, { sampling: bias, maxTokens: 2 });
    const shown = await tiny.ask(question, {
      sampling: bias,
      maxTokens: 2,
      visibleControlTexts: ["<|im_start|>"],
    });
    expect(hidden.text).toBe("");
    expect(shown.text).toBe("<|im_start|><|im_start|>");
  });
});

test("a short list of texts does not wait for a long one to be embedded", async () => {
  const ended: string[] = [];
  const embed = async (name: string, count: number) => {
    const texts = Array.from({ length: count }, (_, index) => `text ${index}`);
    const { vectors } = await tiny.runner.call("embed", { texts, truncate: true });
    ended.push(name);
    return vectors;
  };
  const long = embed("long", 100);
  const [first] = await embed("short", 1);
  const all = await long;
  expect(ended).toEqual(["short", "long"]);
  expect(all[0]).toEqual(first);
  expect(all).toHaveLength(100);
});

test("prompts that fill a step to its last token are answered", async () => {
  // A single row gets a filler, for which a full step has no room.
  const narrow = await loadTiny({ batchSize: 33, prefillChunk: 33, slots: 2 });
  try {
    const answers = [16, 17].map((length) => {
      const tokens = [1, ...Array.from({ length: length - 1 }, (_, index) => 300 + length + index)];
      return narrow.ask([], { prompt: { tokens }, maxTokens: 1 });
    });
    for (const { done } of await Promise.all(answers)) {
      expect(done.statistics.completionTokens).toBe(1);
    }
  } finally {
    await narrow.runner.stop();
  }
});

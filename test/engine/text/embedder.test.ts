// Texts for embeddings: between the model's first and last tokens, cut in between.
import { describe, expect, test } from "vitest";
import type { Addon, AddonModel } from "../../../source/engine/text/addon.ts";
import { Embedder } from "../../../source/engine/text/embedder.ts";

const begin = 101;
const separator = 102;
const endOfText = 103;

interface Vocabulary {
  type: number;
  endsTexts: boolean;
}

/** A model that records its input, and returns a vector of one number. */
function embedderOf({ type, endsTexts }: Vocabulary) {
  const given: number[][] = [];
  class Context {
    init = async () => true;
    disposeSequence() {}
    initBatch() {}
    addToBatch(_: number, __: number, tokens: Uint32Array, all: Uint32Array) {
      given.push([...tokens]);
      return all;
    }
    getThreads = () => 1;
    setThreads() {}
    decodeBatch = async () => {};
    getEmbedding = () => new Float64Array([1]);
  }
  const model = {
    getVocabularyType: () => type,
    sepToken: () => separator,
    tokenBos: () => begin,
    tokenEos: () => endOfText,
    shouldAppendEosToken: () => endsTexts,
  };
  const addon = { AddonContext: Context, getMathCores: () => 1 };
  const settings = { trainedContextLength: 8, threads: 1, flashAttention: false };
  const embedder = new Embedder(
    addon as unknown as Addon,
    model as unknown as AddonModel,
    settings as ConstructorParameters<typeof Embedder>[2],
  );
  const tokensOf = (text: string) => [begin, ...[...text].map((_, index) => index)];
  return {
    given,
    embed: async (texts: Array<string | number[]>, windowTokens?: number, truncate = true) =>
      await embedder.embed(
        { texts, truncate, ...(windowTokens !== undefined && { windowTokens }) },
        tokensOf,
      ),
  };
}

const bert = { type: 3, endsTexts: false };

describe("the token that ends a text", () => {
  test.each<[string, Vocabulary, number[]]>([
    ["is the separator of word pieces", bert, [begin, 0, 1, separator]],
    [
      "is the end of text if the model asks for it",
      { type: 2, endsTexts: true },
      [begin, 0, 1, endOfText],
    ],
    ["is absent elsewhere", { type: 2, endsTexts: false }, [begin, 0, 1]],
  ])("%s", async (_, vocabulary, expected) => {
    const { given, embed } = embedderOf(vocabulary);
    const { tokenCounts } = await embed(["ab"]);
    expect(given).toEqual([expected]);
    expect(tokenCounts).toEqual([expected.length]);
  });

  test("is not added to tokens that the client has chosen", async () => {
    const { given, embed } = embedderOf(bert);
    await embed([[5, 6]]);
    expect(given).toEqual([[5, 6]]);
  });
});

describe("a text that is too long", () => {
  test("is cut between its first and its last token", async () => {
    const { given, embed } = embedderOf(bert);
    await embed(["abcdef"], 4);
    await embed(["abcdefghijklm"]);
    expect(given).toEqual([
      [begin, 0, 1, separator],
      [begin, 0, 1, 2, 3, 4, 5, separator],
    ]);
  });

  test("is refused if nothing of it would be left, or if it must not be cut", async () => {
    const { embed } = embedderOf(bert);
    const cut = /^input after truncation exceeds maximum context length/;
    for (const window of [0, 1, 2]) await expect(embed(["abc"], window)).rejects.toThrow(cut);
    await expect(embed(["abc"], 4, false)).rejects.toThrow(
      "the input length exceeds the context length: text 1 is 5 tokens long, num_ctx allows 4.",
    );
    await expect(embed(["abcdefgh"], 4096, false)).rejects.toThrow("the model was trained for 8");
  });
});

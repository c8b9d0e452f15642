// Options of a generation request on the real model: limits, stop strings, seeds, penalties,
// biases, log-probabilities, aborts, and refusals.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GenerationRequest, SamplingParameters } from "../../source/engine/generation.ts";
import { greedy, loadTiny, sharedTiny, type Tiny } from "../support/load-tiny.ts";

let tiny: Tiny;
/** Model with one slot, which reads a prompt token by token, and a queue for two. */
let one: Tiny;
beforeAll(async () => {
  [tiny, one] = await Promise.all([
    sharedTiny(),
    loadTiny({ prefillChunk: 1, slots: 1, maxQueue: 2 }),
  ]);
});
afterAll(async () => {
  await one.runner.stop();
});

const user = (content: string) => [{ role: "user", content }];
const warm = (changes: Partial<SamplingParameters>): Partial<GenerationRequest> => ({
  sampling: { ...greedy, temperature: 1.2, topP: 1, topK: 0, ...changes },
});

describe("limits", () => {
  it("stops at the token limit and says so", async () => {
    const { text, done } = await tiny.ask(user("Count from 1 to 10."), { maxTokens: 4 });
    expect(done.reason).toBe("length");
    expect(done.statistics.completionTokens).toBe(4);
    expect("1, 2, 3, 4, 5, 6, 7, 8, 9, 10".startsWith(text)).toBe(true);
  });

  it("refuses a prompt that does not fit, naming both numbers", async () => {
    const words = "red green blue ".repeat(1000);
    await expect(tiny.ask(user(words))).rejects.toThrow(
      /prompt is \d{4,} tokens long.*window of 2048/,
    );
  });

  it("estimates the length of a prompt of megabytes, text or conversation", async () => {
    const text = "a".repeat(2_000_000);
    const says = /prompt is about 2000000 tokens long.*window of 2048/;
    await expect(tiny.ask(user(text))).rejects.toThrow(says);
    const segments = text.match(/.{1,1000}/g)?.map((part) => ({ text: part, special: false }));
    await expect(tiny.ask(user("x"), { prompt: { segments: segments ?? [] } })).rejects.toThrow(
      says,
    );
    expect((await tiny.ask(user("What is 2 + 3?"))).text).toBe("2 + 3 = 5");
  });

  it("refuses tokens that the vocabulary does not have", async () => {
    const request = { prompt: { tokens: [1, 785, 786] } };
    await expect(tiny.ask(user("x"), request)).rejects.toThrow(/Token 786 does not exist/);
  });

  it("continues past the model's end token on request", async () => {
    const changes = { ignoreEndOfText: true, maxTokens: 40 };
    const { done } = await tiny.ask(user("Hello!"), changes);
    expect(done.statistics.completionTokens).toBe(40);
    expect(done.reason).toBe("length");
  });
});

describe("stop strings", () => {
  it.each([
    ["inside one token", [" 5"], "1, 2, 3, 4,"],
    ["across token borders", ["3, 4"], "1, 2, "],
    ["the earliest of several", ["7", "4", "6"], "1, 2, 3, "],
    ["that never comes", ["banana"], "1, 2, 3, 4, 5, 6, 7, 8, 9, 10"],
    ["whose beginning occurs repeatedly", [", 2, 4", ", 3, 5"], "1, 2, 3, 4, 5, 6, 7, 8, 9, 10"],
  ])("end the answer %s and are never sent", async (_, stop, expected) => {
    const { text } = await tiny.ask(user("Count from 1 to 10."), { stop });
    expect(text).toBe(expected);
  });

  it("names the one that ended the answer", async () => {
    const { done } = await tiny.ask(user("Count from 1 to 10."), { stop: ["x", "4"] });
    expect(done).toMatchObject({ reason: "stop", stopText: "4" });
  });
});

describe("sampling", () => {
  it("gives the same text for the same seed: alone, again, and as one of eight", async () => {
    const question = user("Tell me a story about a dog.");
    const changes = { ...warm({ seed: 42 }), maxTokens: 60 };
    const alone = (await tiny.ask(question, changes)).text;
    expect((await tiny.ask(question, changes)).text).toBe(alone);
    const others = Array.from({ length: 7 }, (_, seed) =>
      tiny.ask(user("Write a long story."), { ...warm({ seed }), maxTokens: 60 }),
    );
    const [together] = await Promise.all([tiny.ask(question, changes), ...others]);
    expect(together.text).toBe(alone);
  });

  it("gives the same high-temperature text among others, without any filter", async () => {
    const questions = ["Who are you?", "What is 2 + 3?", "Tell me a story about a dog.", "Hello!"];
    const wild = (seed: number) => ({
      ...warm({ seed, temperature: 2, topK: 0, topP: 1, minP: 0 }),
      maxTokens: 30,
      topLogprobs: 0,
    });
    const asked = Array.from({ length: 12 }, (_, seed) => ({
      question: user(questions[seed % questions.length] ?? ""),
      changes: wild(seed),
    }));
    const alone: string[] = [];
    for (const { question, changes } of asked) alone.push((await tiny.ask(question, changes)).text);
    const together = await Promise.all(
      asked.map(async ({ question, changes }) => (await tiny.ask(question, changes)).text),
    );
    expect(together).toEqual(alone);
  });

  it("gives different texts for different seeds and for none", async () => {
    const ask = async (seed: number | undefined) =>
      (await tiny.ask(user("Write a poem."), { ...warm({ seed, temperature: 3 }), maxTokens: 30 }))
        .text;
    const texts = await Promise.all([ask(1), ask(2), ask(3), ask(undefined), ask(undefined)]);
    expect(new Set(texts).size).toBe(5);
  });

  it("takes the most likely token when only one is left to choose from", async () => {
    for (const changes of [{ topK: 1 }, { topP: 0 }, { minP: 1 }]) {
      const { text } = await tiny.ask(user("What is 2 + 3?"), warm({ ...changes, seed: 5 }));
      expect(text).toBe("2 + 3 = 5");
    }
  });

  it("cannot choose a token whose bias forbids it", async () => {
    const { text: free } = await tiny.ask(user("Hello!"), { maxTokens: 1 });
    expect(free).toBe("Hello");
    const [token] = (await tiny.ask(user("Hello!"), { maxTokens: 1, topLogprobs: 1 })).events
      .flatMap((event) => (event.type === "text" ? (event.logprobs ?? []) : []))
      .map(({ bytes }) => Buffer.from(bytes).toString());
    expect(token).toBe("Hello");
    // "Hello" is a single token; its id is found by trying each.
    const banned: Array<[number, number]> = Array.from({ length: 786 }, (_, id) => [id, -100]);
    const allowed = banned.filter(([id]) => id !== 7);
    const { done } = await tiny.ask(user("Hello!"), {
      sampling: { ...greedy, logitBias: allowed },
    });
    expect(done.statistics.completionTokens).toBe(1); // only the end token was left
  });

  it("repeats less when repetition is punished", async () => {
    const ask = async (repeatPenalty: number, presencePenalty: number) =>
      (
        await tiny.ask(user("Count from 1 to 20."), {
          sampling: { ...greedy, repeatPenalty, presencePenalty, repeatLastN: -1 },
          maxTokens: 60,
        })
      ).text;
    const plain = await ask(1, 0);
    expect(await ask(1.8, 0)).not.toBe(plain);
    expect(await ask(1, 30)).not.toBe(plain);
    expect(await ask(1, 0)).toBe(plain);
  });
});

describe("log-probabilities", () => {
  const logprobsOf = async (changes: Partial<GenerationRequest>) => {
    const { events, text } = await tiny.ask(user("What is 7 + 8?"), { topLogprobs: 5, ...changes });
    const logprobs = events.flatMap((event) =>
      event.type === "text" ? (event.logprobs ?? []) : [],
    );
    return { logprobs, text };
  };

  it("come with every token, and their tokens make up the text", async () => {
    const { logprobs, text } = await logprobsOf({});
    expect(text).toBe("7 + 8 = 15");
    expect(logprobs.map(({ token }) => token).join("")).toBe(text);
    for (const { logprob, top, token } of logprobs) {
      expect(top).toHaveLength(5);
      expect(top[0]?.token).toBe(token);
      expect(logprob).toBe(top[0]?.logprob);
      expect(top.map((t) => t.logprob)).toEqual(top.map((t) => t.logprob).sort((a, b) => b - a));
      expect(top.reduce((sum, t) => sum + Math.exp(t.logprob), 0)).toBeLessThanOrEqual(1.0001);
    }
  });

  it("are the model's own: filters, bias and temperature do not change them", async () => {
    const { logprobs } = await logprobsOf({});
    const filtered = await logprobsOf({
      sampling: { ...greedy, temperature: 1.7, topK: 1, topP: 0.1, seed: 3 },
    });
    expect(filtered.logprobs).toEqual(logprobs);
  });

  it("do not change the answer, and are the same among other answers", async () => {
    const { logprobs } = await logprobsOf({});
    const many = await Promise.all(Array.from({ length: 6 }, () => logprobsOf({})));
    for (const { logprobs: other, text } of many) {
      expect(text).toBe("7 + 8 = 15");
      expect(other.map(({ token }) => token)).toEqual(logprobs.map(({ token }) => token));
      for (const [index, { logprob }] of other.entries()) {
        expect(logprob).toBeCloseTo(logprobs[index]?.logprob ?? Number.NaN, 3);
      }
    }
  });

  it("leave out what a stop string cut off", async () => {
    const { logprobs, text } = await logprobsOf({ stop: [" ="] });
    expect(text).toBe("7 + 8");
    expect(logprobs.map(({ token }) => token).join("")).toBe(text);
  });
});

describe("text", () => {
  it("never holds half a character, though one is spread over several tokens", async () => {
    // Every token of an emoji is a byte, forced one by one.
    const bytes = [...Buffer.from("🦊")];
    const { events, text } = await tiny.ask(user("Repeat after me: 🦊 fox"), { maxTokens: 30 });
    expect(text).not.toContain("\uFFFD");
    for (const event of events) {
      if (event.type === "text") expect(event.text.isWellFormed()).toBe(true);
    }
    expect(bytes).toHaveLength(4);
  });
});

describe("aborting", () => {
  it("ends a running answer, keeps what was said, and frees the slot", async () => {
    const abort = new AbortController();
    let text = "";
    let reason = "";
    const request: GenerationRequest = {
      prompt: { segments: tiny.render(user("Write a long story.")) },
      maxTokens: 700,
      sampling: greedy,
      stop: [],
      ignoreEndOfText: false,
      topLogprobs: undefined,
      grammar: undefined,
      visibleControlTexts: [],
    };
    for await (const event of tiny.runner.generate(request, abort.signal)) {
      if (event.type === "text") {
        text += event.text;
        abort.abort();
      }
      if (event.type === "done") reason = event.reason;
    }
    expect(reason).toBe("cancelled");
    expect(text).not.toBe("");
    expect("Once upon a time there was a little fox.").toContain(text.slice(0, 20));
    expect(tiny.runner.activeRequests).toBe(0);
  });

  it("ends a request whose prompt is still being read", async () => {
    const abort = new AbortController();
    const request: GenerationRequest = {
      prompt: { segments: one.render(user("red green blue ".repeat(300))) },
      maxTokens: 10,
      sampling: greedy,
      stop: [],
      ignoreEndOfText: false,
      topLogprobs: undefined,
      grammar: undefined,
      visibleControlTexts: [],
    };
    const read: number[] = [];
    let tokens = -1;
    for await (const event of one.runner.generate(request, abort.signal)) {
      if (event.type === "prompt") {
        read.push(event.completedTokens);
        abort.abort();
      }
      if (event.type === "done") tokens = event.statistics.completionTokens;
    }
    expect(tokens).toBe(0);
    expect(read.at(-1)).toBeLessThan(600);
    expect((await one.ask(user("What is 2 + 3?"))).text).toBe("2 + 3 = 5");
  });

  it("ends a request that waits for a slot, and the others get theirs", async () => {
    const first = one.ask(user("Write a long story."));
    const abort = new AbortController();
    const second = one.ask(user("What is 2 + 3?"), {}, abort.signal);
    const third = one.ask(user("What is 7 + 8?"));
    abort.abort();
    expect((await second).done.reason).toBe("cancelled");
    expect((await third).text).toBe("7 + 8 = 15");
    expect((await first).done.reason).toBe("stop");
  });
});

describe("the queue", () => {
  it("reports the number of requests ahead and refuses more than its limit", async () => {
    const asked = Array.from({ length: 5 }, () => one.ask(user("Count from 1 to 20.")));
    const results = await Promise.allSettled(asked);
    const refused = results.filter(({ status }) => status === "rejected");
    const answered = results.flatMap((result) =>
      result.status === "fulfilled" ? [result.value] : [],
    );
    expect(refused.length).toBeGreaterThan(0);
    expect(answered.length).toBeGreaterThanOrEqual(2);
    for (const { text } of answered) expect(text.endsWith("19, 20")).toBe(true);
    const ahead = answered.flatMap(({ events }) =>
      events.flatMap((event) => (event.type === "queued" ? [event.ahead] : [])),
    );
    expect(ahead.length).toBeGreaterThan(0);
  });
});

describe("memory of a slot", () => {
  it("computes a known beginning only once and answers the same", async () => {
    const first = user("My name is Bob.");
    const answer = await tiny.ask(first);
    const next = [
      ...first,
      { role: "assistant", content: answer.text },
      ...user("What is my name?"),
    ];
    const second = await tiny.ask(next);
    expect(second.text).toBe("Your name is Bob.");
    expect(second.done.statistics.cachedTokens).toBeGreaterThan(20);
    const again = await tiny.ask(next, { maxTokens: 50 });
    expect(again.text).toBe("Your name is Bob.");
    expect(again.done.statistics.cachedTokens).toBe(again.done.statistics.promptTokens - 1);
  });

  it("gives the same answers with guessing by lookup", async () => {
    const guessing = await loadTiny({ lookupTokens: 7, slots: 1 });
    try {
      for (const question of ["Write a long story.", "Count from 1 to 20."]) {
        const plain = await tiny.ask(user(question));
        expect((await guessing.ask(user(question))).text).toBe(plain.text);
        expect((await guessing.ask(user(question))).text).toBe(plain.text);
        const seeded = { ...warm({ seed: 7 }), maxTokens: 50 };
        expect((await guessing.ask(user(question), seeded)).text).toBe(
          (await tiny.ask(user(question), seeded)).text,
        );
      }
    } finally {
      await guessing.runner.stop();
    }
  });
});

describe("a grammar that gets slower with each token", () => {
  // Doubles the number of ways to continue after each letter.
  const levels = Array.from({ length: 40 }, (_, level) => level);
  const rules = levels.map((level) => {
    const next = `"a" (l${level + 1} "b" | l${level + 1} "c")`;
    return `l${level} ::= ${next}`;
  });
  const grammar = `root ::= l0\n${rules.join("\n")}\nl40 ::= "d"\n`;
  const request = { grammar, maxTokens: 100, ignoreEndOfText: true };

  it("ends its own request, and others continue", async () => {
    const slow = tiny.ask(user("What is 2 + 3?"), request);
    const refused = expect(slow).rejects.toMatchObject({
      code: "ENGINE_GRAMMAR_TOO_SLOW",
      status: 400,
    });
    expect((await tiny.ask(user("What is 2 + 3?"))).text).toBe("2 + 3 = 5");
    await refused;
    expect((await tiny.ask(user("What is 2 + 3?"))).text).toBe("2 + 3 = 5");
  });
});

describe("a grammar that leaves no token", () => {
  it("because it is over ends the answer, also where end tokens are forbidden", async () => {
    const request = { grammar: 'root ::= "2 + 3"', maxTokens: 20, ignoreEndOfText: true };
    const { text, done } = await tiny.ask(user("What is 2 + 3?"), request);
    expect(text).toBe("2 + 3");
    expect(done.reason).toBe("stop");
  });

  it("because none can spell it ends its own request, and others go on", async () => {
    const request = { grammar: 'root ::= "2 + " "\\U7FFFFFFF"', maxTokens: 20 };
    const other = tiny.ask(user("Write a long story."));
    await expect(tiny.ask(user("What is 2 + 3?"), request)).rejects.toMatchObject({
      code: "ENGINE_GRAMMAR_DEAD_END",
      status: 400,
    });
    expect((await other).done.reason).toBe("stop");
  });
});

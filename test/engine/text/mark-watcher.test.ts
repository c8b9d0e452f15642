// Marks in an answer after which a grammar applies.
import { describe, expect, it } from "vitest";
import type { LazyGrammars } from "../../../source/engine/generation.ts";
import { MarkWatcher } from "../../../source/engine/text/mark-watcher.ts";

const call = { mark: "<call>", isOnlyAtStart: false, write: () => "call" };
const atStart = { mark: '{"name": "', isOnlyAtStart: true, write: () => "start" };
const calls = { tools: [], parallelToolCalls: true, output: { name: "plain" } } as const;
const think = { open: "<think>", close: "</think>" };

/** Pushes pieces of text until a mark is found. */
function watch(pieces: readonly string[], lazy: Partial<LazyGrammars> = {}) {
  const watcher = new MarkWatcher({ calls, thinking: undefined, ...lazy }, [call, atStart]);
  for (const [index, piece] of pieces.entries()) {
    const found = watcher.push(Buffer.from(piece), index);
    if (found !== undefined) {
      return { grammar: found.grammar.write(), behind: found.behind, pieces: index + 1 };
    }
  }
  return undefined;
}

describe("a mark", () => {
  it("is found in one piece, with the text after it", () => {
    expect(watch(["Well. <call>\n{"])).toEqual({ grammar: "call", behind: "\n{", pieces: 1 });
  });

  it("is found however it is split", () => {
    const text = `${"x".repeat(100)} <call>`;
    expect(watch([...text])).toEqual({ grammar: "call", behind: "", pieces: text.length });
  });

  it("that counts only at the beginning is found there, after white space too", () => {
    expect(watch(["\n", '{"na', 'me": "ge'])).toEqual({
      grammar: "start",
      behind: "ge",
      pieces: 3,
    });
    expect(watch(['Look: {"name": "ge'])).toBeUndefined();
    expect(watch(["Look: ", '{"name": "ge'])).toBeUndefined();
  });

  it("without regard to white space is found at the beginning only", () => {
    const loose = {
      mark: '[{"name":"a b",',
      isOnlyAtStart: true,
      isCompact: true,
      write: () => "",
    };
    const behindIn = (pieces: readonly string[]) => {
      const watcher = new MarkWatcher({ calls, thinking: undefined }, [call, loose]);
      return pieces.map((piece, index) => watcher.push(Buffer.from(piece), index)?.behind).at(-1);
    };
    expect(behindIn(['[{"name":"a b",{'])).toBe("{");
    expect(behindIn([...'\n[\n  {\n    "name" : "a b" ,'])).toBe("");
    expect(behindIn(['[{"name":"ab",'])).toBeUndefined();
    expect(behindIn(['See [{"name":"a b",'])).toBeUndefined();
  });

  it("inside thinking does not count", () => {
    const lazy = { thinking: { ...think, startsInside: false } };
    expect(watch(["<thi", "nk><call>", "</think>\n", '{"name": "', "x"], lazy)).toEqual({
      grammar: "start",
      behind: "",
      pieces: 4,
    });
    expect(watch(["<call>"], lazy)?.grammar).toBe("call");
  });

  it("does not count in thinking that the prompt has opened", () => {
    const lazy = { thinking: { ...think, startsInside: true } };
    expect(watch(["<call> or", " not"], lazy)).toBeUndefined();
    expect(watch(["<call> or", " not</think><ca", "ll>"], lazy)?.pieces).toBe(3);
  });

  it("is found once", () => {
    const watcher = new MarkWatcher({ calls, thinking: undefined }, [call]);
    expect(watcher.push(Buffer.from("<call>"), 1)).toBeDefined();
    expect(watcher.push(Buffer.from("<call>"), 2)).toBeUndefined();
  });
});

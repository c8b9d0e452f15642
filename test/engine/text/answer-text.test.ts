// Stop strings in streamed text: found across pieces, never sent, with all other text passed on.
import { describe, expect, it } from "vitest";
import { AnswerText, StopMatcher } from "../../../source/engine/text/answer-text.ts";

/** Sends a text in pieces of one size and returns what came out. */
function run(stops: string[], text: string, pieceLength: number) {
  const matcher = new StopMatcher(stops);
  let sent = "";
  for (let at = 0; at < text.length; at += pieceLength) {
    const { text: out, stop } = matcher.push(text.slice(at, at + pieceLength));
    sent += out;
    if (stop !== undefined) return { sent, stop };
  }
  return { sent: sent + matcher.finish(), stop: undefined };
}

describe("StopMatcher", () => {
  const cases: Array<[stops: string[], text: string, sent: string, stop: string | undefined]> = [
    [["###"], "one ## two ### three", "one ## two ", "###"],
    [["aab"], "aaab", "a", "aab"],
    [["abab", "abc"], "ababc", "", "abab"],
    [["\n\nUser:", "\n\n"], "hello\n\nUser: x", "hello", "\n\nUser:"],
    [["end"], "the very en", "the very en", undefined],
    [["", "x"], "no stop", "no stop", undefined],
    [["🦊"], "a 🦊 b", "a ", "🦊"],
    [[], "free", "free", undefined],
  ];
  it.each(cases)("with %j in %j sends %j", (stops, text, sent, stop) => {
    for (let length = text.length; length >= 1; length -= 1) {
      const result = run(stops, text, length);
      // In small pieces a shorter stop string may be complete before a longer one.
      if (stops.includes("\n\n")) expect(["\n\n", "\n\nUser:"]).toContain(result.stop);
      else expect(result).toEqual({ sent, stop });
      expect(result.sent).toBe(sent);
    }
  });
});

describe("AnswerText", () => {
  it("sends a character when its last byte has come", () => {
    const answer = new AnswerText([]);
    const pieces = [...Buffer.from("a🦊é")].map((byte) => answer.push(Uint8Array.of(byte)).text);
    expect(pieces).toEqual(["a", "", "", "", "🦊", "", "é"]);
  });

  it("drops an unfinished character at the end, which has no text", () => {
    const answer = new AnswerText([]);
    expect(answer.push(Uint8Array.of(0x61, 0xf0, 0x9f)).text).toBe("a");
    expect(answer.finish().text).toBe("");
  });

  it("keeps a byte-order mark that the model wrote", () => {
    expect(new AnswerText([]).push(Buffer.from("\uFEFFx")).text).toBe("\uFEFFx");
  });

  it("sends log-probabilities with the text they belong to", () => {
    const answer = new AnswerText(["STOP"]);
    const logprob = (token: string) => ({ token, bytes: [], logprob: -1, top: [] });
    const push = (token: string) => answer.push(Buffer.from(token), logprob(token));
    expect(push("a S").logprobs.map(({ token }) => token)).toEqual(["a S"]);
    expect(push("TO").logprobs).toEqual([]);
    expect(push("x").logprobs.map(({ token }) => token)).toEqual(["TO", "x"]);
    expect(push("ST").logprobs).toEqual([]);
    expect(push("OP")).toMatchObject({ text: "", logprobs: [], stop: "STOP" });
  });
});

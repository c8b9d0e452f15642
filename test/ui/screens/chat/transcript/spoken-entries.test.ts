// Tests that screen readers get each message once, a running answer by sentence, and that lines never change.

import { describe, expect, test } from "vitest";
import type {
  AnswerState,
  TranscriptEntry,
} from "../../../../../source/chat/conversation/transcript-entry.ts";
import { spokenEntries } from "../../../../../source/ui/screens/chat/transcript/spoken-entries.ts";

const question: TranscriptEntry = { kind: "user", id: 0, text: "Tell me a story" };

function answered(text: string, state: AnswerState): readonly TranscriptEntry[] {
  return [question, { kind: "assistant", id: 1, text, state }];
}

const story =
  "Once upon a time there was a fox. It lived near the forest.\n\n1. It had a boat.\n2. No. 2, e.g. a den\nThe end";

test("an answer is printed line by line and sentence by sentence, each once", () => {
  let before: readonly string[] = [];
  for (let length = 1; length <= story.length; length += 1) {
    const lines = spokenEntries(answered(story.slice(0, length), "running"));
    expect(lines.slice(0, before.length)).toEqual(before);
    before = lines;
  }
  const whole = spokenEntries(answered(story, "complete"));
  expect(whole.slice(0, before.length)).toEqual(before);
  expect(before).toHaveLength(whole.length - 1);
  expect(whole).toEqual([
    "You: Tell me a story",
    "Assistant: Once upon a time there was a fox.",
    "It lived near the forest.",
    "1. It had a boat.",
    "2. No. 2, e.g. a den",
    "The end",
  ]);
});

test("a line break split over two chunks is one", () => {
  expect(spokenEntries(answered("one\r", "running"))).toContain("Assistant: one");
  expect(spokenEntries(answered("one\r\ntwo", "complete")).slice(1)).toEqual([
    "Assistant: one",
    "two",
  ]);
});

test("a question is printed once its answer begins, as it may return to the field", () => {
  expect(spokenEntries(answered("", "running"))).toEqual([]);
  expect(spokenEntries(answered("Once", "running"))).toEqual(["You: Tell me a story"]);
});

describe("the end of an answer is printed after it", () => {
  test.each<[AnswerState, string[]]>([
    ["complete", []],
    ["limit", ["(length limit reached)"]],
    ["stopped", ["(stopped)"]],
    ["failed", ["(failed)"]],
  ])("%s", (state, ending) => {
    expect(spokenEntries(answered("One.", state)).slice(1)).toEqual(["Assistant: One.", ...ending]);
  });

  test("with the tools that it calls", () => {
    const toolCalls = [{ name: "get_weather", arguments: { city: "Paris" } }];
    const entry: TranscriptEntry = {
      kind: "assistant",
      id: 1,
      text: "",
      state: "complete",
      toolCalls,
    };
    expect(spokenEntries([question, entry])[1]).toBe("Assistant: (calls get_weather, city Paris)");
  });
});

test("errors, notices and images are printed in words", () => {
  const image = { name: "cat.png", width: 64, height: 64, base64: "x", tokens: 36, preview: [] };
  expect(
    spokenEntries([
      { kind: "user", id: 0, text: "what is\r\nthis", images: [image] },
      { kind: "error", id: 1, text: "It broke.", next: "Enter tries again · Ctrl+T takes another" },
      { kind: "notice", id: 2, text: "Set system prompt." },
    ]),
  ).toEqual([
    "You: what is\nthis (attached cat.png 64x64, 36 tokens)",
    "Error: It broke. (Enter tries again , Ctrl+T takes another)",
    "Note: Set system prompt.",
  ]);
});

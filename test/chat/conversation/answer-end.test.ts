// Tests the end of an answer in the transcript.
import { expect, test } from "vitest";
import {
  type AnswerEnd,
  answerStateOf,
  noteOf,
} from "../../../source/chat/conversation/answer-end.ts";

const statistics = {
  finishReason: "stop",
  promptTokens: 12,
  cachedTokens: 0,
  completionTokens: 31,
  loadMs: 0,
  promptMs: 40,
  completionMs: 500,
  totalMs: 600,
} as const;
const done = (changes: object): AnswerEnd => ({
  kind: "done",
  statistics: { ...statistics, ...changes },
});

test("an answer cancelled at the server is marked as stopped", () => {
  expect(answerStateOf(done({ finishReason: "cancelled" }))).toBe("stopped");
  expect(answerStateOf(done({ finishReason: "length" }))).toBe("limit");
  expect(answerStateOf(done({}))).toBe("complete");
});

test("the headline says what the model did not see of the conversation", () => {
  expect(noteOf(40, done({ truncated: { messages: 4, tokens: 900 } }))).toBe(
    "without the 4 oldest messages · 62 tok/s · 40 ms",
  );
  expect(noteOf(40, done({ truncated: { messages: 1, tokens: 900 } }))).toBe(
    "without the oldest message · 62 tok/s · 40 ms",
  );
  expect(noteOf(40, done({}))).toBe("62 tok/s · 40 ms");
});

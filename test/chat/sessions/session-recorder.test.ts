// Tests that changes during a save are saved in the right chat.
// Uses real files, and waits for saves only at the end.
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../source/base/clock.ts";
import type { TranscriptEntry } from "../../../source/chat/conversation/transcript-entry.ts";
import {
  type ChatSnapshot,
  SessionRecorder,
} from "../../../source/chat/sessions/session-recorder.ts";
import { SessionStore } from "../../../source/chat/sessions/session-store.ts";
import { temporaryFolder } from "../../support/model-store.ts";

let folder: string;
let store: SessionStore;
let told: string[];
let recorder: SessionRecorder;
beforeEach(() => {
  folder = temporaryFolder();
  store = new SessionStore(folder);
  told = [];
  recorder = new SessionRecorder(store, systemClock, { tell: (sentence) => told.push(sentence) });
});

function chat(...texts: string[]): ChatSnapshot {
  const entries = texts.map((text, id): TranscriptEntry => {
    return id % 2 === 0
      ? { kind: "user", id, text }
      : { kind: "assistant", id, text, state: "complete" };
  });
  return { model: "tiny", settings: { system: undefined, parameters: {} }, entries };
}

async function saved(): Promise<Record<string, string[]>> {
  const { sessions } = await store.list();
  const pairs = sessions.map(async ({ id, name }) => {
    const { session } = await store.load(id);
    return [name, session.messages.map(({ content }) => content)] as const;
  });
  return Object.fromEntries(await Promise.all(pairs));
}

test("a new chat never replaces the previous one", async () => {
  recorder.record(chat("one"));
  recorder.record(chat("one", "answer"));
  recorder.startNew();
  recorder.record(chat("two"));
  recorder.startNew("third");
  recorder.record(chat("three"));
  await recorder.settled();
  expect(await saved()).toEqual({ one: ["one", "answer"], two: ["two"], third: ["three"] });
  expect(told).toEqual([]);
});

test("a chat without messages is not saved", async () => {
  recorder.record(chat());
  await recorder.settled();
  expect(await saved()).toEqual({});
});

test("later settings belong to the chat, and a new name stays", async () => {
  recorder.record(chat("one"));
  await recorder.rename("Mine");
  recorder.record({
    ...chat("one", "two"),
    settings: { system: "Be brief.", parameters: { top_k: 3 } },
  });
  await recorder.settled();
  const head = await store.find("mine");
  expect(head).toMatchObject({ system: "Be brief.", parameters: { top_k: 3 }, messageCount: 2 });
});

test("an answer in progress is saved as stopped, notices are not saved", async () => {
  const { entries, ...rest } = chat("one");
  recorder.record({
    ...rest,
    entries: [
      ...entries,
      { kind: "assistant", id: 1, text: "half", state: "running" },
      { kind: "notice", id: 2, text: "Set system prompt." },
      { kind: "error", id: 3, text: "It broke." },
    ],
  });
  await recorder.settled();
  const { id } = await store.find("one");
  const { session } = await store.load(id);
  expect(session.messages.map(({ content, ending }) => [content, ending])).toEqual([
    ["one", undefined],
    ["half", "stopped"],
  ]);
});

test("a failed save is reported, and the next one tries again", async () => {
  recorder.record(chat("one"));
  await recorder.settled();
  await rm(path.join(folder, "sessions"), { recursive: true });
  await writeFile(path.join(folder, "sessions"), "in the way");
  recorder.record(chat("one", "two"));
  await recorder.settled();
  expect(told.join()).toContain("Cannot save the chat");
  await rm(path.join(folder, "sessions"));
  recorder.record(chat("one", "two", "three"));
  await recorder.settled();
  expect(await saved()).toEqual({ one: ["one", "two", "three"] });
});

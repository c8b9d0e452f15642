// Goal: leaving a chat prints how to resume it.
// Method: the line for saved chats of both kinds.

import { expect, test } from "vitest";
import { resumeLine } from "../../source/cli/saved-chats.ts";

const head = {
  id: "20261122-101500-abc123",
  name: "Plan it",
  isNamed: true,
  model: "tiny",
  createdAtMs: 0,
  updatedAtMs: 0,
  messageCount: 2,
  parameters: {},
};

test("a chat with a local model is resumed with a command", () => {
  expect(resumeLine(head)).toBe(
    "Chat 'Plan it' is saved. Resume it with:\n  modelctl run --session 20261122-101500-abc123",
  );
});

test("a chat with a deployment is resumed in the interface", () => {
  const deployment = { app: "robo", profile: "local", url: "http://127.0.0.1:8800/robo" };
  expect(resumeLine({ ...head, deployment })).toContain("Alt+S in deployctl");
});

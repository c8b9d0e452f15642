// Tests that screen readers get every text once, and that lines that change are short and change rarely.
// Runs the whole program in an in-memory terminal, whose output is what is read out.

import { expect, test } from "vitest";
import { ask, openChat } from "../../support/open-chat.ts";
import { keys } from "../../support/sized-terminal.ts";

test("an answer is printed once, however long it takes", async () => {
  const chat = await openChat({ isScreenReader: true });
  await ask(chat, "Tell me a story");
  const { current } = chat.backend;
  const from = chat.screen.bytes.length;
  const sentences = Array.from({ length: 8 }, (_, at) => `This is the sentence number ${at}. `);
  for (const [at, sentence] of sentences.entries()) {
    current.text(sentence);
    await chat.screen.until(`number ${at}.`);
  }
  current.text("The end").done();
  await chat.screen.until("The end");
  await chat.screen.until(/Status: .*62\.0 tok\/s/);
  const written = chat.screen.bytes.slice(from);
  for (const text of ["You: Tell me a story", ...sentences, "The end"]) {
    expect(written.split(text.trim())).toHaveLength(2);
  }
});

test("control characters of an answer are escaped", async () => {
  const chat = await openChat({ isScreenReader: true });
  await ask(chat, "hello");
  chat.backend.current.text("It\u001b]52;c;aGk=\u0007 is\u202e safe.").done();
  await chat.screen.until("Assistant: It^[]52;c;aGk=^G is safe.");
});

test("the status of a running answer is one word", async () => {
  const chat = await openChat({ isScreenReader: true });
  await ask(chat, "hello");
  await chat.screen.until("Status: ~ waiting for the server");
  chat.backend.current.event({ type: "loading", fraction: 0.62 });
  await chat.screen.until("Status: ~ loading tiny 60 %");
  chat.backend.current.event({ type: "prompt", completedTokens: 1168, totalTokens: 2014 });
  await chat.screen.until("Status: ~ reading 2 014 tokens 50 %");
  chat.backend.current.event({ type: "thinking", text: "Let me see" });
  await chat.screen.until("Status: ~ thinking");
  chat.backend.current.text("Hi");
  await chat.screen.until("Status: ~ answering");
  await chat.screen.typeUntil(keys.escape, "(stopped)");
});

test("/? prints every command with its keys", async () => {
  const chat = await openChat({ isScreenReader: true, rows: 120 });
  await chat.screen.typeUntil("/?\r", "Command: /?");
  await chat.screen.until("/clear: Clear the messages; keep settings and the saved chat");
  expect(chat.screen.text).toContain("Ctrl+R: Search earlier messages");
});

test("the selected one of the models to begin with is read out, and downloaded", async () => {
  const model = (name: string, purpose: string) => ({
    ...{ name, purpose, sizeBytes: 2e9, isRough: false, memoryBytes: 3 * 1024 ** 3 },
    ...{ speed: { measured: 20 }, diskAfterBytes: 9e9, why: "It fits." },
  });
  const models = [model("hf.co/one/Big-GGUF", "best"), model("hf.co/one/Small-GGUF", "fast")];
  const pulled: string[] = [];
  const chat = await openChat({
    isScreenReader: true,
    firstModels: {
      read: async () => ({ models, notes: [] }),
      pull: async (name, _, signal) => {
        pulled.push(name);
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      },
    },
  });
  await chat.screen.until("Model: best: hf.co/one/Big-GGUF, size 2 GB, memory 3 GiB, tok/s 20");
  expect(chat.screen.text).toContain("disk left 9 GB, 1 of 2. It fits.");
  await chat.screen.typeUntil(keys.down, "Model: fast: hf.co/one/Small-GGUF");
  await chat.screen.typeUntil(keys.enter, "Model: downloading hf.co/one/Small-GGUF. Esc stops.");
  expect(pulled).toEqual(["hf.co/one/Small-GGUF"]);
  await chat.screen.typeUntil(keys.escape, "Download stopped");
  await chat.screen.typeUntil("Hello", "Message: Hello");
  expect(chat.screen.text).not.toContain("Model:");
});

test("the field, the history search and notices are printed in words", async () => {
  const chat = await openChat({ isScreenReader: true });
  await ask(chat, "plan the release");
  chat.backend.current.text("ok").done();
  await chat.screen.until("Assistant: ok");
  await chat.screen.typeUntil("\u0012plan", "Search: plan, plan the release");
  await chat.screen.typeUntil(keys.enter, "Message: plan the release");
  chat.screen.type("\u0015/wrong\r");
  await chat.screen.until("Status: Unknown command '/wrong'. Type /? for help");
  await chat.screen.until("Message: /wrong");
  expect(chat.screen.text).not.toMatch(/[╭│─]/);
});

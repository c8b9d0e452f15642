// Tests that visible messages are drawn in their place, and that only changed rows are drawn again.
// Compares the rows that React mounts.

import { describe, expect, test } from "vitest";
import type { AssistantEntry } from "../../../../../source/chat/conversation/transcript-entry.ts";
import { layOutTranscript } from "../../../../../source/ui/screens/chat/chat-view.ts";
import {
  EmptyChat,
  emptyChatRows,
} from "../../../../../source/ui/screens/chat/transcript/empty-chat.tsx";
import { Transcript } from "../../../../../source/ui/screens/chat/transcript/transcript.tsx";
import {
  followTail,
  scroll,
} from "../../../../../source/ui/screens/chat/transcript/transcript-window.ts";
import { renderAt } from "../../../support/render.tsx";
import { sampleEntries, sampleView } from "../sample-view.ts";

const columns = 40;

describe("the transcript", () => {
  test("shows the newest rows, with speakers, times and figures", () => {
    const chat = sampleView({ state: { entries: sampleEntries(4) } });
    const { lines } = renderAt(<Transcript chat={chat} columns={columns} rows={6} />, { columns });
    expect(lines()).toEqual([
      " you                              10:41",
      " question 2",
      "",
      " assistant                     61 tok/s",
      " answer 3",
      "",
    ]);
  });

  test("marks each row of the selected message", () => {
    const chat = sampleView({ state: { entries: sampleEntries(2), selectedId: 1 } });
    const draw = <Transcript chat={chat} columns={columns} rows={8} />;
    const lines = renderAt(draw, { columns }).lines();
    expect(lines.filter((line) => line.startsWith("▌"))).toEqual([
      "▌assistant                     61 tok/s",
      "▌answer 1",
    ]);
    const ascii = renderAt(draw, { columns, isAscii: true }).lines();
    expect(ascii.filter((line) => line.startsWith("|"))).toHaveLength(2);
  });

  test("says how much is below when scrolled back", () => {
    const entries = sampleEntries(10);
    const chat = sampleView({ state: { entries } });
    const rows = layOutTranscript(chat, { entries, activity: undefined }, columns - 2);
    const viewport = scroll(followTail, { kind: "rows", delta: -5 }, rows, 8);
    chat.store.update({ viewport });
    const { lines } = renderAt(<Transcript chat={chat} columns={columns} rows={8} />, { columns });
    expect(lines()).toHaveLength(8);
    expect(lines().at(-1)).toBe("    ↓ 6 lines below · End to follow");
  });
});

test("rows of finished messages and blocks are the same objects in every frame", () => {
  const chat = sampleView();
  const frame = (text: string) => {
    const answer: AssistantEntry = { kind: "assistant", id: 2, text, state: "running" };
    const entries = [...finished, answer];
    const transcript = layOutTranscript(chat, { entries, activity: undefined }, columns);
    const blocks = entries.map((_, index) => transcript.blockOf(index));
    return blocks.flatMap(({ head, markdown }) => [
      ...head,
      ...(markdown?.layout.rows(markdown.text, markdown.isOpen) ?? []),
    ]);
  };
  const finished = sampleEntries(2);
  const before = frame("A finished block.\n\nOne that gr");
  const after = frame("A finished block.\n\nOne that grows.");
  expect(after.slice(0, 4).every((runs, row) => runs === before[row])).toBe(true);
  const block = before.findIndex((runs) => runs[0]?.text === "A finished block.");
  expect(after[block]).toBe(before[block]);
});

describe("an empty chat", () => {
  test("shows the model and example prompts", () => {
    const facts = { name: "tiny", contextLength: 4096, card: "Tells stories." };
    const rows = emptyChatRows(facts, ["Sing.", "Dance."], 38);
    const draw = (height: number) =>
      renderAt(<EmptyChat rows={rows} height={height} />, { columns }).lines();
    expect(draw(7)).toEqual([
      " tiny",
      " context window 4096 tokens",
      " Tells stories.",
      "",
      " For example (Tab to use one):",
      "   Sing.",
      "   Dance.",
    ]);
    expect(draw(2)).toEqual([" tiny", " context window 4096 tokens"]);
  });

  test("leaves out what is unknown and cuts long prompts", () => {
    const facts = { name: "a\u001bb", contextLength: undefined, card: undefined };
    const rows = emptyChatRows(facts, ["word ".repeat(20)], 30);
    const lines = renderAt(<EmptyChat rows={rows} height={rows.length} />, {
      columns,
      isAscii: true,
    }).lines();
    expect(lines[0]).toBe(" a^[b");
    expect(lines.at(-1)).toBe("   word word word word word wo~");
  });
});

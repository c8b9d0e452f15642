// Tests that Markdown is drawn in the rows that its layout counts, in full or in part, also while it grows.

import { expect, test } from "vitest";
import type { AnswerState } from "../../../../../source/chat/conversation/transcript-entry.ts";
import { Message } from "../../../../../source/ui/screens/chat/transcript/message.tsx";
import { renderAt } from "../../../support/render.tsx";
import { sampleView } from "../sample-view.ts";

const columns = 30;
const { layout } = sampleView();

function blockOf(text: string, state: AnswerState) {
  return layout.block({ kind: "assistant", id: 1, text, state }, columns - 2);
}

test("a range of rows is drawn as in the whole, with a margin beside rows with text", () => {
  const text = "# Title\n\nA paragraph that is longer than one row.\n\n- first\n- second\n";
  const block = blockOf(text, "complete");
  const { lines } = renderAt(<Message block={block} from={4} to={8} />, { columns });
  expect(lines()).toEqual([" than one row.", "", " • first", " • second"]);
  const outside = renderAt(<Message block={block} from={-5} to={2} />, { columns });
  expect(outside.lines()).toEqual([" assistant", " Title"]);
});

test("a growing text keeps its finished rows, and its last block is closed at the end", () => {
  const growing = "Code:\n\n```\na = 1\n";
  const drawn = renderAt(<Message block={blockOf(growing, "running")} />, { columns });
  const begun = [" assistant", " Code:", "", " ┌─", " │ a = 1"];
  expect(drawn.lines()).toEqual([...begun, " └─", ""]);
  const block = blockOf(`${growing}b = 2\n\`\`\`\nDone.`, "complete");
  drawn.rerender(<Message block={block} />);
  expect(drawn.lines()).toEqual([...begun, " │ b = 2", " └─", " Done.", ""]);
  expect(block.markdownRows).toBe(7);
});

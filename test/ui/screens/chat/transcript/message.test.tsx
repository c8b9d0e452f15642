// Tests that Markdown is drawn in the rows that its layout counts, in full or in part, also while it grows.

import { expect, test } from "vitest";
import { CodeHighlighter } from "../../../../../source/ui/markdown/code-highlighter.ts";
import { MarkdownLayout } from "../../../../../source/ui/markdown/markdown-layout.ts";
import { Markdown } from "../../../../../source/ui/screens/chat/transcript/message.tsx";
import { renderAt } from "../../../support/render.tsx";

const columns = 30;
const text = [
  "# Title",
  "",
  "A paragraph that is longer than one row.",
  "",
  "- first",
  "- second",
  "",
  "```",
  "a = 1",
  "```",
].join("\n");
const rows = [
  "Title",
  "",
  "A paragraph that is longer",
  "than one row.",
  "",
  "• first",
  "• second",
  "",
  "┌─",
  "│ a = 1",
  "└─",
];

function layoutAt(width: number): MarkdownLayout {
  return new MarkdownLayout(width, { isAscii: false, highlighter: new CodeHighlighter() });
}

test("blocks are drawn below each other at the given width", () => {
  const { lines } = renderAt(<Markdown text={text} layout={layoutAt(columns)} />, { columns });
  expect(lines()).toEqual(rows);
});

test("a range of rows is drawn as in the whole, with a margin beside rows with text", () => {
  const layout = layoutAt(columns - 2);
  const lead = { text: "> ", tone: "plain" } as const;
  const draw = <Markdown text={text} layout={layout} from={3} to={7} lead={lead} />;
  expect(renderAt(draw, { columns }).lines()).toEqual([
    "> than one row.",
    "",
    "> • first",
    "> • second",
  ]);
  const outside = <Markdown text={text} layout={layout} from={-5} to={1} lead={lead} />;
  expect(renderAt(outside, { columns }).lines()).toEqual(["> Title"]);
});

test("a growing text keeps its finished rows, and its last block is closed at the end", () => {
  const layout = layoutAt(columns);
  const growing = "Code:\n\n```\na = 1\n";
  const drawn = renderAt(<Markdown text={growing} layout={layout} isOpen />, { columns });
  expect(drawn.lines()).toEqual(["Code:", "", "┌─", "│ a = 1", "└─"]);
  drawn.rerender(<Markdown text={`${growing}b = 2\n\`\`\`\nDone.`} layout={layout} />);
  expect(drawn.lines()).toEqual(["Code:", "", "┌─", "│ a = 1", "│ b = 2", "└─", "Done."]);
  expect(layout.rows(`${growing}b = 2\n\`\`\`\nDone.`, false)).toHaveLength(7);
});

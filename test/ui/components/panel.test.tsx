// Tests that a panel has its size for any title and content.

import { Box, Text } from "ink";
import { describe, expect, test } from "vitest";
import { textWidth } from "../../../source/base/graphemes.ts";
import { Panel } from "../../../source/ui/components/panel.tsx";
import { TextCursor } from "../../../source/ui/components/text-cursor.tsx";
import { openTree, renderAt } from "../support/render.tsx";

const size = { width: 14, height: 4 };

describe("a panel", () => {
  test("shows its content, title and footer", () => {
    const panel = (
      <Panel {...size} title="Title" footer="1 of 2">
        <Text wrap="truncate">one</Text>
        <Text wrap="truncate">a longer row</Text>
        <Text>three</Text>
      </Panel>
    );
    expect(renderAt(panel).lines()).toEqual([
      "╭─ Title ────╮",
      "│ one        │",
      "│ a longer … │",
      "╰─── 1 of 2 ─╯",
    ]);
  });

  test.each(["", "T", "A title that is much too long", "漢字漢字漢字漢字"])(
    "has exactly its size with the title '%s'",
    (title) => {
      for (const width of [4, 7, 30]) {
        const panel = (
          <Panel width={width} height={5} title={title} footer={title}>
            <Text wrap="truncate">ab漢字cd</Text>
          </Panel>
        );
        const lines = renderAt(panel).lines();
        expect(lines.map(textWidth)).toEqual(Array(5).fill(width));
      }
    },
  );

  test("is drawn in ASCII if Unicode is unavailable", () => {
    const panel = (
      <Panel {...size} title="Title" footer="1 of 2">
        <Text>x</Text>
      </Panel>
    );
    expect(renderAt(panel, { isAscii: true }).lines()).toEqual([
      "+- Title ----+",
      "| x          |",
      "|            |",
      "+--- 1 of 2 -+",
    ]);
  });

  test("hides everything beneath it when opaque", () => {
    const tree = (
      <Box width={20} height={4}>
        <Text>{Array(4).fill("#".repeat(20)).join("\n")}</Text>
        <Box position="absolute" left={3} top={0}>
          <Panel {...size} isOpaque>
            <Text>漢</Text>
          </Panel>
        </Box>
      </Box>
    );
    expect(renderAt(tree).lines()).toEqual([
      "###╭────────────╮###",
      "###│ 漢         │###",
      "###│            │###",
      "###╰────────────╯###",
    ]);
  });

  test("gives its content an origin for the cursor", async () => {
    const tree = (
      <Box paddingLeft={5} paddingTop={2}>
        <Panel {...size} x={5} y={2}>
          <TextCursor x={1} y={1} />
        </Panel>
      </Box>
    );
    const screen = openTree(tree, 40, 10);
    await screen.until((now) => now.cursor.x === 8 && now.cursor.y === 4);
    expect(screen.lines[2]).toContain("╭");
  });
});

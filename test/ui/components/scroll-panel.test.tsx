// A scrolling panel: visible rows, the footer, and the ends.

import { Text } from "ink";
import type { ReactElement } from "react";
import { expect, test } from "vitest";
import { useParagraph } from "../../../source/ui/components/line.tsx";
import { ScrollPanel } from "../../../source/ui/components/scroll-panel.tsx";
import { renderAt } from "../support/render.tsx";

interface SampleProps {
  readonly top?: number;
  readonly height?: number;
  readonly onExtent?: (lastTop: number) => void;
}

const inner = (
  <>
    <Text>inner</Text>
    <Text> </Text>
    {["a", "b"].map((name) => (
      <Text key={name}>{name}</Text>
    ))}
  </>
);

/** Ten rows. */
function Sample({ top = 0, height = 6, onExtent = () => {} }: SampleProps): ReactElement {
  const paragraph = useParagraph(16);
  return (
    <ScrollPanel width={20} height={height} title="Card" top={top} onExtent={onExtent}>
      <Text>first</Text>
      {paragraph("a text that is wrapped over rows")}
      {false}
      {inner}
      {["c", "d"].map((name) => paragraph(name))}
    </ScrollPanel>
  );
}

const linesOf = (sample: ReactElement) => renderAt(sample, { columns: 20 }).lines();

test("shows the first rows and the number of rows below", () => {
  expect(linesOf(<Sample />)).toEqual([
    "╭─ Card ───────────╮",
    "│ first            │",
    "│ a text that is   │",
    "│ wrapped over     │",
    "│ rows             │",
    "╰─── 6 more below ─╯",
  ]);
  expect(linesOf(<Sample top={4} />).slice(1, 5)).toEqual([
    "│ inner            │",
    "│                  │",
    "│ a                │",
    "│ b                │",
  ]);
});

test("past the end shows the last page and where it begins", () => {
  const extents: number[] = [];
  const lines = linesOf(<Sample top={99} onExtent={(lastTop) => extents.push(lastTop)} />);
  expect(lines[4]).toBe("│ d                │");
  expect(lines[5]).toBe("╰──────────────────╯");
  expect(extents).toEqual([6]);
});

test("shows a short content whole", () => {
  const extents: number[] = [];
  linesOf(<Sample height={20} onExtent={(lastTop) => extents.push(lastTop)} />);
  expect(extents).toEqual([0]);
});

test("a paragraph shows control characters in caret notation", () => {
  function Evil(): ReactElement {
    const paragraph = useParagraph(10);
    return <>{paragraph("a\u001b[2Jb\nc", "error")}</>;
  }
  expect(renderAt(<Evil />, { columns: 20 }).text()).toBe("a^[[2Jb c");
  expect(renderAt(<Evil />, { columns: 20, isAscii: true }).text()).toBe("a^[[2Jb c");
});

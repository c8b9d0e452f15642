// Markdown in a terminal: headings, lists, quotes, tables, highlighted code.

import { memo, type ReactElement } from "react";
import type { MarkdownLayout } from "../markdown/markdown-layout.ts";
import { Lines, type LinesProps } from "./line.tsx";

export interface MarkdownProps extends Omit<LinesProps, "rows"> {
  readonly text: string;
  /** Knows width and glyphs, and what of the text is laid out already: keep it while a text grows. */
  readonly layout: MarkdownLayout;
  /** More text may come: the last block is not closed yet. Defaults to false. */
  readonly isOpen?: boolean;
}

/**
 * Draws rows below each other without a box: all, or those from `from` to before `to`.
 */
export const Markdown = memo(function Markdown(props: MarkdownProps): ReactElement {
  const { text, layout, isOpen = false, ...lines } = props;
  return <Lines rows={layout.rows(text, isOpen)} {...lines} />;
});

// Visible part of a message of the transcript, with its Markdown.

import { memo, type ReactElement } from "react";
import { Lines } from "../../../components/line.tsx";
import type { TextRun } from "../../../text/text-run.ts";
import type { EntryBlock } from "./transcript-layout.ts";

export interface MessageProps {
  readonly block: EntryBlock;
  /** Visible rows. Defaults to all. */
  readonly from?: number;
  readonly to?: number;
  readonly isSelected?: boolean;
}

const margin: TextRun = { text: " ", tone: "plain" };
const selectedMargin: TextRun = { text: "▌", tone: "focus" };

/** Draws again only when it changes or becomes visible. The margin marks a selected message. */
export const Message = memo(function Message(props: MessageProps): ReactElement {
  const { block, from = 0, to = Number.POSITIVE_INFINITY, isSelected = false } = props;
  const { head, markdown, markdownRows, tail } = block;
  const lead = isSelected ? selectedMargin : margin;
  const part = (start: number) => ({ from: from - start, to: to - start, lead });
  return (
    <>
      <Lines rows={head} {...part(0)} />
      {markdown && (
        <Lines rows={markdown.layout.rows(markdown.text, markdown.isOpen)} {...part(head.length)} />
      )}
      <Lines rows={tail} {...part(head.length + markdownRows)} />
    </>
  );
});

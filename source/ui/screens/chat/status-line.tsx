// Row below the field: current work, or a notice until the next key.

import { Box } from "ink";
import { memo, type ReactElement } from "react";
import { textWidth } from "../../../base/graphemes.ts";
import { Gauge, ProgressBar } from "../../components/bars.tsx";
import { Notice } from "../../components/hint-bar.tsx";
import { Text } from "../../components/text.tsx";
import { useLook } from "../../hooks/use-look.ts";
import { useParts } from "../../hooks/use-store.ts";
import { cutText } from "../../text/text-run.ts";
import { noticeText, transcriptWidth } from "./chat-layout.ts";
import { type ChatView, useIsServerDown, useModelFacts } from "./chat-view.ts";
import { statusProgress, statusRun } from "./status-text.ts";

const gaugeCells = 12;
const gaugeGap = 2;

export interface StatusLineProps {
  readonly chat: ChatView;
  readonly columns: number;
}

/** Takes the rows of a notice, otherwise one. */
export const StatusLine = memo(function StatusLine(props: StatusLineProps): ReactElement {
  const { chat, columns } = props;
  const { notice } = useParts(chat.store, "notice");
  if (notice === undefined) return <Figures {...props} />;
  const tone = notice.isWarning ? "warning" : "mark";
  return <Notice text={noticeText(notice)} tone={tone} columns={columns} />;
});

/** Draws a bar for loading or reading, otherwise for the fill of the window. */
function Figures({ chat, columns }: StatusLineProps): ReactElement {
  const { theme } = useLook();
  const isServerDown = useIsServerDown(chat);
  const state = { ...useParts(chat.store, "activity", "figures", "contextTokens"), isServerDown };
  const facts = useModelFacts(chat);
  const width = transcriptWidth(columns);
  const { text, tone } = statusRun(state, facts, width);
  const share = statusProgress(state, facts);
  const hasRoom = width - textWidth(text) - gaugeGap >= gaugeCells;
  return (
    <Box height={1} flexShrink={0} paddingX={1}>
      <Text wrap="truncate">
        <Text {...theme[tone]}>{cutText(text, width)}</Text>
        {share !== undefined && hasRoom && (
          <>
            {" ".repeat(gaugeGap)}
            {state.activity === undefined ? (
              <Gauge share={share} width={gaugeCells} />
            ) : (
              <ProgressBar fraction={share} width={gaugeCells} />
            )}
          </>
        )}
      </Text>
    </Box>
  );
}

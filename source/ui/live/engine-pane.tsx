// Live figures beside a conversation: as a pane, or as a line where space is short.

import { Box } from "ink";
import { memo, type ReactElement } from "react";
import { span } from "../../base/quantities.ts";
import { staleMs, type WatchedServer } from "../../client/live/server-watch.ts";
import { TextLine } from "../components/line.tsx";
import { Panel, panelInnerWidth } from "../components/panel.tsx";
import type { BodySize } from "../frame/screen.ts";
import { useNow } from "../hooks/use-look.ts";
import { type Readable, useStore } from "../hooks/use-store.ts";
import { glyphs } from "../theme.ts";
import {
  type ConversationFigures,
  type EngineFacts,
  engineFigures,
  engineLineText,
} from "./engine-figures.ts";
import { FigureList } from "./figure-list.tsx";
import { type Figure, machineFigures } from "./machine-figures.ts";

/** Cells of the pane, borders included. */
export const enginePaneWidth = 32;
const paneColumnsMinimum = 100;
const paneRowsMinimum = 14;
const lineColumnsMinimum = 80;
const lineRowsMinimum = 20;
const borderRows = 2;

/** Chooses how a screen of this size shows the figures. */
export function enginePlace({ columns, rows }: BodySize): "pane" | "line" | "none" {
  if (columns >= paneColumnsMinimum) return rows >= paneRowsMinimum ? "pane" : "none";
  return columns >= lineColumnsMinimum && rows >= lineRowsMinimum ? "line" : "none";
}

/** Returns the rows of the whole pane, borders included. */
export function enginePaneHeight(
  { link, samples }: WatchedServer,
  conversation: ConversationFigures,
): number {
  const isStale = link.kind === "down" && samples.length > 0;
  // The number of rows does not depend on the time.
  const figures = paneFigures({ conversation, samples, now: 0 });
  return (isStale ? 1 : 0) + figures.length + borderRows;
}

function paneFigures(facts: EngineFacts): Figure[] {
  return [...engineFigures(facts), ...machineFigures(facts.samples)];
}

/** Returns `enginePaneHeight` for the latest samples, and draws again when it changes. */
export function useEnginePaneHeight(
  watch: Readable<WatchedServer>,
  conversation: ConversationFigures,
): number {
  return useStore(watch, (watched) => enginePaneHeight(watched, conversation));
}

export interface EnginePaneProps {
  /** A `ServerWatch`. */
  readonly watch: Readable<WatchedServer>;
  /** The same object until one of its values changes. */
  readonly conversation: ConversationFigures;
  /** Maximum number of rows. */
  readonly rows: number;
}

/** Has `enginePaneHeight` rows, or fewer. */
export const EnginePane = memo(function EnginePane(props: EnginePaneProps): ReactElement {
  const { watch, conversation, rows } = props;
  const width = panelInnerWidth(enginePaneWidth);
  const now = useNow();
  const watched = useStore(watch, (one) => one);
  const { samples } = watched;
  const age = staleMs(watched, now);
  const isStale = age !== undefined;
  const height = Math.min(rows, enginePaneHeight(watched, conversation));
  return (
    <Box flexShrink={0}>
      <Panel width={enginePaneWidth} height={height} title="Engine">
        {isStale && (
          <TextLine
            text={`${glyphs.failed} server down for ${span(age)}`}
            tone="error"
            width={width}
          />
        )}
        <FigureList
          figures={paneFigures({ conversation, samples, now })}
          width={width}
          isStale={isStale}
        />
      </Panel>
    </Box>
  );
});

export interface EngineLineProps extends Pick<EnginePaneProps, "watch" | "conversation"> {
  /** Cells of the line, a blank on each side included. */
  readonly columns: number;
}

/** A row with the most important figures. */
export const EngineLine = memo(function EngineLine(props: EngineLineProps): ReactElement {
  const { watch, conversation, columns } = props;
  const text = useStore(watch, ({ samples }) => engineLineText({ conversation, samples }));
  return (
    <Box height={1} flexShrink={0} paddingX={1}>
      <TextLine text={text} tone="dim" width={Math.max(0, columns - 2)} />
    </Box>
  );
});

// Models screen: list and card of the selected model, or one of the two in a narrow window.

import { Box } from "ink";
import type { ReactElement } from "react";
import { TextLine } from "../../components/line.tsx";
import type { BodySize } from "../../frame/screen.ts";
import { useLook } from "../../hooks/use-look.ts";
import { type Readable, useStore } from "../../hooks/use-store.ts";
import { tokenCount } from "../../text/quantities.ts";
import { ModelCard } from "./model-card.tsx";
import { type ModelEntry, selectedEntry } from "./model-entries.ts";
import { ModelList } from "./model-list.tsx";
import type { ModelsState } from "./models-state.ts";
import { ReaderList } from "./reader-list.tsx";

/** Minimum width that shows the card next to the list. */
const twoPanesFrom = 100;
/** From this width on, a narrow window has a line about the selected model. */
const summaryFrom = 80;
const listShare = 0.6;

export interface ModelsViewProps extends BodySize {
  readonly store: Readable<ModelsState>;
  /** Called with the last row that the card scrolls to. */
  readonly onCardExtent: (lastTop: number) => void;
}

export function ModelsView(props: ModelsViewProps): ReactElement {
  const { store, onCardExtent, columns, rows } = props;
  const state = useStore(store, (all) => all);
  if (useLook().layout === "reader") return <ReaderList state={state} />;
  const entry = selectedEntry(state);
  const card = { state, entry, height: rows, onExtent: onCardExtent };
  if (columns >= twoPanesFrom) {
    const listWidth = Math.floor(columns * listShare);
    return (
      <Box>
        <ModelList state={state} width={listWidth} height={rows} hasCard />
        <ModelCard {...card} width={columns - listWidth} />
      </Box>
    );
  }
  if (state.pane === "card") return <ModelCard {...card} width={columns} />;
  const hasSummary = columns >= summaryFrom && entry !== undefined;
  return (
    <Box flexDirection="column">
      <ModelList state={state} width={columns} height={rows - (hasSummary ? 1 : 0)} />
      {hasSummary && <Summary entry={entry} width={columns} />}
    </Box>
  );
}

/** The selected model in one line, where its card is hidden. */
function Summary({ entry, width }: { entry: ModelEntry; width: number }): ReactElement {
  const { separator } = useLook().glyphs;
  const text = ` ${[...summaryFacts(entry), "Tab card"].filter(Boolean).join(` ${separator} `)}`;
  return <TextLine text={text} tone="dim" width={width} />;
}

function summaryFacts(entry: ModelEntry): readonly (string | undefined)[] {
  if (entry.kind === "hub") return [entry.model.architecture];
  if (entry.kind === "running") return [];
  const { model, estimate } = entry;
  const memory = estimate && `${tokenCount(estimate.contextLength)} context, ${estimate.cacheType}`;
  return [model?.family, model?.parameterSize, memory];
}

// The card of the selected model: what is known of it, and what can be done with it.

import type { ReactElement } from "react";
import { panelInnerWidth } from "../../components/panel.tsx";
import { ScrollPanel } from "../../components/scroll-panel.tsx";
import { useLook } from "../../hooks/use-look.ts";
import { foreignText } from "../../text/text-run.ts";
import { HubCard } from "./hub-card.tsx";
import { LocalCard } from "./local-card.tsx";
import type { ModelEntry } from "./model-entries.ts";
import { shortName } from "./model-name.ts";
import { cardKey, type ModelsState } from "./models-state.ts";
import { RunningCard } from "./running-card.tsx";

export interface ModelCardProps {
  readonly state: ModelsState;
  /** Undefined where the list is empty. */
  readonly entry: ModelEntry | undefined;
  readonly width: number;
  readonly height: number;
  /** Hears how far the card scrolls. */
  readonly onExtent: (lastTop: number) => void;
}

export function ModelCard(props: ModelCardProps): ReactElement {
  const { state, entry, width, height, onExtent } = props;
  const { ellipsis, isAscii } = useLook().glyphs;
  const title =
    entry === undefined
      ? "Model"
      : foreignText(shortName(entry.name, panelInnerWidth(width), ellipsis), isAscii);
  const isFocused = state.pane === "card";
  const panel = { width, height, title, isFocused, top: state.cardTop, onExtent };
  const capacity = state.capacity.value;
  switch (entry?.kind) {
    case "local": {
      const card = entry.model && state.cards.get(cardKey(entry.model));
      const { choice } = state;
      return (
        <LocalCard entry={entry} card={card} capacity={capacity} choice={choice} panel={panel} />
      );
    }
    case "hub": {
      const offer = state.offers.get(entry.name);
      return <HubCard entry={entry} offer={offer} capacity={capacity} panel={panel} />;
    }
    case "running":
      return <RunningCard entry={entry} panel={panel} />;
    case undefined:
      return <ScrollPanel {...panel} />;
  }
}

// The card of the selected model: its facts, and the keys that act on it.

import { Text } from "ink";
import type { ReactElement } from "react";
import { shownModel } from "../../../base/display-text.ts";
import { formatMemory } from "../../../base/formats.ts";
import { useParagraph } from "../../components/line.tsx";
import { panelInnerWidth } from "../../components/panel.tsx";
import { ScrollPanel, type ScrollPanelProps } from "../../components/scroll-panel.tsx";
import { useLook, useNow } from "../../hooks/use-look.ts";
import { foreignText } from "../../text/text-run.ts";
import { HubCard } from "./hub-card.tsx";
import { LocalCard } from "./local-card.tsx";
import type { ModelEntry, RunningEntry } from "./model-entries.ts";
import { shortName } from "./model-name.ts";
import type { ModelsState } from "./models-state.ts";
import { processorOf, timeToUnload } from "./state-cells.ts";

export interface ModelCardProps {
  readonly state: ModelsState;
  /** Undefined where the list is empty. */
  readonly entry: ModelEntry | undefined;
  readonly width: number;
  readonly height: number;
  /** Called with the last row that the card scrolls to. */
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
  switch (entry?.kind) {
    case "local":
      return <LocalCard state={state} entry={entry} panel={panel} />;
    case "hub":
      return <HubCard state={state} entry={entry} panel={panel} />;
    case "running":
      return <RunningCard entry={entry} panel={panel} />;
    case undefined:
      return <ScrollPanel {...panel} />;
  }
}

interface RunningCardProps {
  readonly entry: RunningEntry;
  readonly panel: ScrollPanelProps;
}

/** A loaded model: its memory, its requests, and the options that it was loaded with. */
function RunningCard({ entry: { loaded }, panel }: RunningCardProps): ReactElement {
  const nowMs = useNow();
  const paragraph = useParagraph(panelInnerWidth(panel.width));
  const { running = 0, waiting = 0 } = fieldsIn(loaded.requests);
  const options = Object.entries(fieldsIn(loaded.load_options));
  return (
    <ScrollPanel {...panel}>
      {paragraph(`${formatMemory(loaded.size)} in memory, ${processorOf(loaded)}`)}
      {paragraph(`Context ${loaded.context_length} tokens in each slot`)}
      {paragraph(`Requests ${String(running)} running, ${String(waiting)} waiting`)}
      {paragraph(`Keep alive ${timeToUnload(loaded, nowMs)}`)}
      {loaded.names.length > 1 && paragraph(`Serves ${loaded.names.map(shownModel).join(", ")}`)}
      <Text> </Text>
      {paragraph("Loaded with", "title")}
      {options.map(([name, value]) => paragraph(`${name} ${String(value)}`, "code"))}
      {typeof loaded.process_id === "number" && paragraph(`Process ${loaded.process_id}`, "dim")}
    </ScrollPanel>
  );
}

function fieldsIn(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === "object" ? { ...value } : {};
}

// The card of a loaded model: its memory, its requests, and the options that it was loaded with.

import { Text } from "ink";
import type { ReactElement } from "react";
import { formatBytes } from "../../../base/byte-format.ts";
import { panelInnerWidth } from "../../components/panel.tsx";
import { useParagraph } from "../../components/paragraph.tsx";
import { ScrollPanel, type ScrollPanelProps } from "../../components/scroll-panel.tsx";
import { useNow } from "../../hooks/use-clock.ts";
import type { RunningEntry } from "./model-entries.ts";
import { processorOf, untilOf } from "./state-cells.ts";

export interface RunningCardProps {
  readonly entry: RunningEntry;
  readonly panel: ScrollPanelProps;
}

export function RunningCard({ entry, panel }: RunningCardProps): ReactElement {
  const nowMs = useNow();
  const paragraph = useParagraph(panelInnerWidth(panel.width));
  const { loaded } = entry;
  const { running = 0, waiting = 0 } = fieldsIn(loaded.requests);
  const options = Object.entries(fieldsIn(loaded.load_options));
  return (
    <ScrollPanel {...panel}>
      {paragraph(`${formatBytes(loaded.size)} in memory, ${processorOf(loaded)}`)}
      {paragraph(`Context ${loaded.context_length} tokens in each slot`)}
      {paragraph(`Requests ${String(running)} running, ${String(waiting)} waiting`)}
      {paragraph(`Unload in ${untilOf(loaded, nowMs)}`)}
      {loaded.names.length > 1 && paragraph(`Serves ${loaded.names.join(", ")}`)}
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

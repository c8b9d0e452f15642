// The Models screen in words, for screen readers.

import { plural } from "../../../base/quantities.ts";
import { spokenRow } from "../../components/table.tsx";
import type { Spoken } from "../../frame/screen.ts";
import { listColumns } from "./list-columns.ts";
import { entriesOf, selectedRow } from "./model-entries.ts";
import type { ModelsState } from "./models-state.ts";

/** Describes the list by its length, the selected model and the field. */
export function spokenModels(state: ModelsState): Spoken {
  const { source, work, isTyping } = state;
  const entries = entriesOf(state, source);
  const row = selectedRow(state, entries);
  const found = entries[row];
  const { error } = state[source];
  // No column with a time is spoken.
  const words = found && spokenRow(listColumns(source, { nowMs: 0 }), found);
  const live = [
    `List ${source}: ${plural(entries.length, "model")}`,
    ...(error === undefined ? [] : [`Error: ${error}`]),
    ...(work === undefined ? [] : [work]),
    words === undefined ? "Selected: none" : `Selected: ${words}, ${row + 1} of ${entries.length}`,
    ...(isTyping ? [`Filter: ${state.lists[source].filter.text}`] : []),
  ];
  return { finished: [], live };
}

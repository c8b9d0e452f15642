// The chat as plain lines for screen readers: what is finished is printed once and never redrawn.

import { Box, Static, Text } from "ink";
import type { ReactElement } from "react";
import type { ChatState, TranscriptEntry } from "../state/chat-state.ts";
import { neutraliseLine, normaliseLineBreaks } from "../text/neutralise.ts";
import { asciiGlyphs } from "../theme.ts";
import { helpRows } from "../view/help-rows.ts";
import { type ModelLine, statusRow } from "../view/status-text.ts";

export interface ScreenReaderChatProps {
  readonly state: ChatState;
  readonly model: ModelLine;
  readonly columns: number;
}

/** No borders, no painted places: labels in words, changes appended. */
export function ScreenReaderChat({ state, model, columns }: ScreenReaderChatProps): ReactElement {
  // A question stays with its answer until that has ended: it may still go back into the editor,
  // and what has been printed cannot be taken back.
  const running = state.entries.findIndex((entry) => isRunning(entry));
  const finished = running === -1 ? state.entries : state.entries.slice(0, running - 1);
  const open = state.entries.slice(finished.length);
  const help = state.helpTop === undefined ? [] : helpRows(columns);
  return (
    <Box flexDirection="column">
      <Static items={[...finished]}>
        {(entry) => <Text key={entry.id}>{spokenEntry(entry)}</Text>}
      </Static>
      {open.map((entry) => (
        <Text key={entry.id}>{spokenEntry(entry)}</Text>
      ))}
      {help.length === 0 ? null : <Text>{help.map(({ text }) => text.trim()).join("\n")}</Text>}
      <Text>{`Status: ${state.notice ?? statusRow(state, model, asciiGlyphs, columns).text}`}</Text>
      <Text>{`Message: ${harmless(state.editor.text)}`}</Text>
    </Box>
  );
}

function isRunning(entry: TranscriptEntry): boolean {
  return entry.kind === "assistant" && entry.state === "running";
}

const speakers = { user: "You", assistant: "Assistant", error: "Error", notice: "Note" } as const;

/** An entry as it is read out. */
export function spokenEntry(entry: TranscriptEntry): string {
  const text = `${speakers[entry.kind]}: ${harmless(entry.text)}`;
  if (entry.kind !== "assistant") return text;
  if (entry.state === "limit") return `${text} (cut at the length limit)`;
  return entry.state === "stopped" || entry.state === "failed" ? `${text} (${entry.state})` : text;
}

function harmless(text: string): string {
  return normaliseLineBreaks(text)
    .split("\n")
    .map((line) => neutraliseLine(line, true))
    .join("\n");
}

// Layout for screen readers: each finished line is printed once, and only live lines are drawn below it.

import { Box, Static } from "ink";
import { type ReactElement, useEffect, useState, useSyncExternalStore } from "react";
import { Observable } from "../../base/store.ts";
import { Text } from "../components/text.tsx";
import type { Frame } from "../frame/frame.ts";
import type { Overlay } from "../frame/overlays.ts";
import type { Screen } from "../frame/screen.ts";
import { useFrame, usePaced } from "../hooks/use-store.ts";

/** Draws words, without borders or positions. */
export function Reader({ frame }: { readonly frame: Frame }): ReactElement {
  const { printed, live } = useSpeech(frame);
  const { overlay, notice } = useFrame(frame);
  const lines = [
    ...(overlay === undefined ? live : spokenOverlay(overlay)),
    ...(notice === undefined ? [] : [`Note: ${notice}`]),
  ];
  return (
    <Box flexDirection="column">
      <Static items={printed}>{(line) => <Text key={line.number}>{line.text}</Text>}</Static>
      {lines.length > 0 && <Text>{lines.join("\n")}</Text>}
    </Box>
  );
}

/** Describes an open question and its answer so far. */
function spokenOverlay(overlay: Overlay): readonly string[] {
  switch (overlay.kind) {
    case "list": {
      const { title, field, found, selected } = overlay;
      const item = found[selected];
      // The columns of a table are read as a sentence.
      const name = item?.title.trim().replaceAll(/ {2,}/g, ", ");
      const words = item === undefined ? "nothing" : `${name} ${item.note}`.trim();
      const place = `${item === undefined ? 0 : selected + 1} of ${found.length}`;
      return [`${title}: ${field.text}`, `Selected: ${words}, ${place}`];
    }
    case "ask": {
      const { question, problem, field } = overlay;
      return problem === undefined
        ? [`${question} ${field.text}`]
        : [question, `${problem} ${field.text}`];
    }
    case "write":
      return [`${overlay.question} ${overlay.field.text}`];
    case "confirm": {
      const { question, isComing, isYes } = overlay;
      const answer = isYes ? "Yes" : "No";
      return [`${question} ${isComing ? "Calculating." : `${answer} is selected; y or n.`}`];
    }
  }
}

/** Returns the words of the current screen, read after each change of the frame. */
function useSpeech(frame: Frame): Speech {
  const subscribe = usePaced(frame);
  const [log] = useState(() => {
    const created = new SpeechLog();
    created.read(frame.current);
    return created;
  });
  useEffect(() => subscribe(() => log.read(frame.current)), [subscribe, log, frame]);
  return useSyncExternalStore(log.subscribe, log.get);
}

interface Speech {
  /** All finished lines so far, oldest first. */
  readonly printed: PrintedLine[];
  readonly live: readonly string[];
}

interface PrintedLine {
  readonly number: number;
  readonly text: string;
}

export class SpeechLog extends Observable {
  #speech: Speech = { printed: [], live: [] };
  readonly #known = new Map<string, readonly string[]>();
  #title: string | undefined;

  readonly get = (): Speech => this.#speech;

  /** Takes the words of a screen; of the finished lines of the same screen only the new ones. */
  read(screen: Pick<Screen, "title" | "spoken"> | undefined): void {
    if (screen === undefined) return;
    const { title } = screen;
    const { finished, live } = screen.spoken();
    const announced =
      this.#title !== undefined && title !== this.#title ? [`Screen: ${title}`] : [];
    this.#title = title;
    const before = this.#known.get(title) ?? [];
    this.#known.set(title, finished);
    const grew =
      finished.length >= before.length && before.every((line, at) => finished[at] === line);
    const seen = new Set(before);
    const fresh = grew ? finished.slice(before.length) : finished.filter((line) => !seen.has(line));
    const { printed } = this.#speech;
    const added = [...announced, ...fresh].map((text, at) => ({
      number: printed.length + at,
      text,
    }));
    this.#speech = { printed: added.length === 0 ? printed : [...printed, ...added], live };
    this.tell();
  }
}

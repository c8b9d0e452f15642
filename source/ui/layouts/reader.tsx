// Layout for screen readers: each line is printed once, and only changing content is drawn below.

import { Box, Static, Text } from "ink";
import { type ReactElement, useEffect, useState, useSyncExternalStore } from "react";
import { Observable } from "../../base/store.ts";
import type { Frame } from "../frame/frame.ts";
import type { Screen } from "../frame/screen.ts";
import { useFrame, usePaced } from "../hooks/use-store.ts";
import { CurrentOverlay } from "./full-screen.tsx";

/** Draws words in tree order, without borders or positions. */
export function Reader({ frame }: { readonly frame: Frame }): ReactElement {
  useFrame(frame);
  const lines = useReaderLines(frame);
  const { current, overlay, notice } = frame;
  const size = frame.bodySize();
  return (
    <Box flexDirection="column">
      <Static items={lines}>{(line) => <Text key={line.number}>{line.text}</Text>}</Static>
      {current !== undefined && overlay === undefined && <current.Body {...size} />}
      <CurrentOverlay frame={frame} size={size} />
      {notice !== undefined && <Text>{`Note: ${notice}`}</Text>}
    </Box>
  );
}

/** Returns all lines printed so far; new ones are added after the frame has changed. */
function useReaderLines(frame: Frame): ReadLine[] {
  const subscribe = usePaced(frame);
  const [log] = useState(() => {
    const created = new ReaderLog();
    created.read(frame.current);
    return created;
  });
  useEffect(() => subscribe(() => log.read(frame.current)), [subscribe, log, frame]);
  return useSyncExternalStore(log.subscribe, () => log.lines);
}

interface ReadLine {
  readonly number: number;
  readonly text: string;
}

export class ReaderLog extends Observable {
  #lines: ReadLine[] = [];
  readonly #known = new Map<string, readonly string[]>();
  #title: string | undefined;

  /** All lines printed so far, oldest first. */
  get lines(): ReadLine[] {
    return this.#lines;
  }

  /** Prints the lines of a screen; of the same screen only the new ones. */
  read(screen: Pick<Screen, "title" | "readerLines"> | undefined): void {
    if (screen === undefined) return;
    const { title } = screen;
    const lines = screen.readerLines?.() ?? [];
    if (this.#title !== undefined && title !== this.#title) this.#print(`Screen: ${title}`);
    this.#title = title;
    const before = this.#known.get(title) ?? [];
    this.#known.set(title, lines);
    const grew = lines.length >= before.length && before.every((line, at) => lines[at] === line);
    const seen = new Set(before);
    const fresh = grew ? lines.slice(before.length) : lines.filter((line) => !seen.has(line));
    for (const line of fresh) this.#print(line);
  }

  #print(text: string): void {
    this.#lines = [...this.#lines, { number: this.#lines.length, text }];
    this.tell();
  }
}

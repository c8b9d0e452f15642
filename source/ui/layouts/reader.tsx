// Layout for screen readers: each line is printed once, and only changing content is drawn below.

import { Box, Static, Text } from "ink";
import { type ReactElement, useState } from "react";
import type { Frame } from "../frame/frame.ts";
import { useStore } from "../hooks/use-store.ts";
import { CurrentOverlay } from "./full-screen.tsx";

/** Draws words in tree order, without borders or positions. */
export function Reader({ frame }: { readonly frame: Frame }): ReactElement {
  useStore(frame, ({ version }) => version);
  const [log] = useState(() => new ReaderLog());
  const { current, overlay, notice } = frame;
  const size = frame.bodySize();
  const lines = current === undefined ? [] : log.take(current.title, current.readerLines?.() ?? []);
  return (
    <Box flexDirection="column">
      <Static items={[...lines]}>{(line) => <Text key={line.number}>{line.text}</Text>}</Static>
      {current !== undefined && overlay === undefined && <current.Body {...size} />}
      <CurrentOverlay frame={frame} size={size} />
      {notice !== undefined && <Text>{`Note: ${notice}`}</Text>}
    </Box>
  );
}

interface ReadLine {
  readonly number: number;
  readonly text: string;
}

export class ReaderLog {
  readonly #lines: ReadLine[] = [];
  readonly #known = new Map<string, readonly string[]>();
  #title: string | undefined;

  /**
   * Records the current lines of a screen; of a changed screen only the new ones.
   * @returns all lines printed so far, oldest first
   */
  take(title: string, lines: readonly string[]): readonly ReadLine[] {
    if (this.#title !== undefined && title !== this.#title) this.#print(`Screen: ${title}`);
    this.#title = title;
    const before = this.#known.get(title) ?? [];
    this.#known.set(title, lines);
    const grew = lines.length >= before.length && before.every((line, at) => lines[at] === line);
    const seen = new Set(before);
    const fresh = grew ? lines.slice(before.length) : lines.filter((line) => !seen.has(line));
    for (const line of fresh) this.#print(line);
    return this.#lines;
  }

  #print(text: string): void {
    this.#lines.push({ number: this.#lines.length, text });
  }
}

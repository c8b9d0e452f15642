// Scripted screen and services, and a frame without a terminal.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { TextCursor } from "../../../source/ui/components/text-cursor.tsx";
import { Frame, type FrameOptions } from "../../../source/ui/frame/frame.ts";
import type {
  BodySize,
  BoundCommand,
  FrameServices,
  Screen,
  SlashName,
  Spoken,
} from "../../../source/ui/frame/screen.ts";

/** A frame of 60 x 16 cells, before it is started. */
export function sampleFrame(options: Partial<FrameOptions> = {}): Frame {
  return new Frame({
    clock: { now: () => 0, wallMs: () => 0 },
    theme: "default",
    terminal: {
      erase: () => {},
      copy: async () => "",
      edit: async () => "",
      page: async () => {},
      run: async () => 0,
    },
    size: () => ({ columns: 60, rows: 16 }),
    status: () => "",
    onLeave: () => {},
    ...options,
  });
}

export class FakeScreen implements Screen {
  readonly id: Screen["id"];
  readonly title: string;
  /** Calls to the screen, in order. */
  readonly events: string[] = [];
  isField = false;
  statusText = "";
  smallestWindow: BodySize = { columns: 60, rows: 16 };
  lines: readonly string[] = ["first line"];
  /** Lines for screen readers that change. */
  live: readonly string[] = [];
  more: readonly BoundCommand[] = [];
  readonly #listeners = new Set<() => void>();

  constructor(id: Screen["id"], title: string) {
    this.id = id;
    this.title = title;
  }

  /** A command that records its name. */
  command(id: string, keys: readonly string[], change: Partial<BoundCommand> = {}): BoundCommand {
    return {
      id,
      title: `Do ${id}`,
      group: "Things",
      keys,
      hint: () => id,
      isValid: () => true,
      run: (argument) => {
        this.events.push(argument === "" ? id : `${id}:${argument}`);
        return undefined;
      },
      ...change,
    };
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  commands(): readonly BoundCommand[] {
    return this.more;
  }

  readonly Body = ({ columns, rows }: BodySize): ReactElement => (
    <Box flexDirection="column" width={columns}>
      {this.lines.slice(0, rows).map((line) => (
        <Text key={line} wrap="truncate">
          {line}
        </Text>
      ))}
      {this.isField && <TextCursor x={3} y={2} />}
    </Box>
  );

  spoken(): Spoken {
    return { finished: this.lines, live: this.live };
  }

  status(): string {
    return this.statusText;
  }

  isTyping(): boolean {
    return this.isField;
  }

  type(text: string): void {
    this.events.push(`typed ${text}`);
  }

  paste(text: string): void {
    this.events.push(`pasted ${text}`);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  activate(): void {
    this.events.push("activated");
  }

  deactivate(): void {
    this.events.push("deactivated");
  }

  async close(): Promise<void> {
    this.events.push("closed");
  }
}

/** Services that record their calls; the test sets the answers. */
export class FakeServices implements FrameServices {
  readonly events: string[] = [];
  answer: string | undefined;
  isSure = false;
  size: BodySize = { columns: 80, rows: 22 };

  bodySize(): BodySize {
    return this.size;
  }

  open(id: string): void {
    this.events.push(`open ${id}`);
  }

  async ask(question: string): Promise<string | undefined> {
    this.events.push(`ask ${question}`);
    return this.answer;
  }

  async write(question: string): Promise<string | undefined> {
    this.events.push(`write ${question}`);
    return this.answer;
  }

  async confirm(question: string, rest?: Promise<string>): Promise<boolean> {
    const whole = rest === undefined ? question : `${question} ${await rest}`;
    this.events.push(`confirm ${whole}`);
    return this.isSure;
  }

  async choose(title: string): Promise<string | undefined> {
    this.events.push(`choose ${title}`);
    return this.answer;
  }

  notify(sentence: string): void {
    this.events.push(`notify ${sentence}`);
  }

  async copy(text: string): Promise<string> {
    this.events.push(`copy ${text}`);
    return "Copied";
  }

  async edit(): Promise<string | undefined> {
    return this.answer;
  }

  async page(text: string): Promise<void> {
    this.events.push(`page ${text}`);
  }

  repaint(): void {
    this.events.push("repaint");
  }

  help(): void {
    this.events.push("help");
  }

  leave(reason: string): void {
    this.events.push(`leave ${reason}`);
  }

  slashNames(): readonly SlashName[] {
    return [];
  }

  runSlash(line: string): boolean {
    this.events.push(`slash ${line}`);
    return false;
  }
}

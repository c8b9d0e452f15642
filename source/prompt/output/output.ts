// State shared by all readings of an output: text, tools and pieces.
import type { ToolDefinition } from "../chat-message.ts";
import { OutputText, type Reading } from "./output-text.ts";

const idCharacters = "abcdefghijklmnopqrstuvwxyz0123456789";

/**
 * Piece of a parsed output. A call is complete only with its `tool-call-end`. An incomplete one gets none:
 * its whole text, including marks, follows as content, and its index is not reused.
 */
export type OutputPiece =
  | { type: "content"; text: string }
  | { type: "thinking"; text: string }
  | { type: "tool-call-start"; index: number; id: string; name: string }
  /** Part of the arguments' JSON text; all parts of a call together are valid JSON. */
  | { type: "tool-call-arguments"; index: number; text: string }
  | { type: "tool-call-end"; index: number; arguments: Record<string, unknown> };

export class Output {
  readonly text = new OutputText();
  readonly #tools: ReadonlyMap<string, ToolDefinition>;
  readonly #random: () => number;
  readonly #decided: OutputPiece[] = [];
  /** Target of new pieces: the decided ones, or those of an undecided reading. */
  #pieces = this.#decided;
  #calls = 0;

  /** @param random returns numbers from 0 up to 1, for the ids of calls */
  constructor(tools: readonly ToolDefinition[], random: () => number) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#random = random;
  }

  get hasTools(): boolean {
    return this.#tools.size > 0;
  }

  isTool(name: string): boolean {
    return this.#tools.has(name);
  }

  /** Schema of a tool's argument; undefined if the tool does not describe it. */
  schemaOfArgument(tool: string, argument: string): unknown {
    const properties = this.#tools.get(tool)?.parameters?.properties;
    if (typeof properties !== "object" || properties === null) return undefined;
    return Object.getOwnPropertyDescriptor(properties, argument)?.value;
  }

  /** Reads the name of a tool: the longest that matches. */
  *readToolName(): Reading<string | undefined> {
    const name = yield* this.text.oneOf([...this.#tools.keys()]);
    if (name !== undefined) this.text.take(name.length);
    return name;
  }

  readonly content = (text: string): void => this.#addText("content", text);
  readonly thinking = (text: string): void => this.#addText("thinking", text);

  #addText(type: "content" | "thinking", text: string): void {
    if (text === "") return;
    const last = this.#pieces.at(-1);
    if (last?.type === type) last.text += text;
    else this.#pieces.push({ type, text });
  }

  startCall(name: string): StartedCall {
    const index = this.#calls;
    this.#calls += 1;
    const id = `call_${Array.from({ length: 8 }, () => this.#idCharacter()).join("")}`;
    this.#pieces.push({ type: "tool-call-start", index, id, name });
    return new StartedCall(index, (piece) => this.#pieces.push(piece));
  }

  /** Adds a call whose arguments are complete. */
  addCall(name: string, argumentsText: string): void {
    const call = this.startCall(name);
    call.addArguments(argumentsText);
    call.end();
  }

  #idCharacter(): string {
    return idCharacters.charAt(Math.floor(this.#random() * idCharacters.length));
  }

  /**
   * Runs a reading that may fail: the text is then restored and its pieces are dropped. Pieces are held
   * back until it has ended.
   */
  *undecided(reading: Reading<boolean>): Reading<boolean> {
    const outer = this.#pieces;
    const calls = this.#calls;
    const own: OutputPiece[] = [];
    this.#pieces = own;
    const succeeded = yield* this.text.attempt(reading);
    this.#pieces = outer;
    if (succeeded) outer.push(...own);
    else this.#calls = calls;
    return succeeded;
  }

  /** Returns the pieces since the last call. */
  drain(): OutputPiece[] {
    return this.#decided.splice(0);
  }
}

/** Call whose arguments are still arriving. */
export class StartedCall {
  readonly #index: number;
  readonly #add: (piece: OutputPiece) => void;
  #text = "";

  constructor(index: number, add: (piece: OutputPiece) => void) {
    this.#index = index;
    this.#add = add;
  }

  readonly addArguments = (text: string): void => {
    this.#text += text;
    this.#add({ type: "tool-call-arguments", index: this.#index, text });
  };

  /** Called once the arguments are a complete JSON object. */
  end(): void {
    this.#add({ type: "tool-call-end", index: this.#index, arguments: JSON.parse(this.#text) });
  }
}

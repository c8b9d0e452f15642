// State shared by all readings of an output: text, tools and pieces.
import type { ToolDefinition } from "../chat-message.ts";
import { type LooseStart, looseStarts } from "./compact-start.ts";
import { OutputText, type Reading } from "./output-text.ts";
import { fulfils } from "./schema-facts.ts";

const idCharacters = "abcdefghijklmnopqrstuvwxyz0123456789";

/**
 * Piece of a parsed output. A call is complete only with its `tool-call-end`. An incomplete one gets none:
 * its whole text, including marks, follows as content, and its index is not reused.
 */
export type OutputPiece =
  | { type: "content"; text: string }
  | { type: "thinking"; text: string }
  /** `isLoose`: the model wrote the call without its format's marks. */
  | { type: "tool-call-start"; index: number; id: string; name: string; isLoose?: true }
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
  #isLoose = false;
  #looseStarts: readonly LooseStart[] | undefined;
  /** Number of calls without marks that stayed text, since their arguments do not fulfil the schema. */
  callsNotRead = 0;

  /** @param random returns numbers from 0 up to 1, for the ids of calls */
  constructor(tools: readonly ToolDefinition[], random: () => number) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#random = random;
  }

  /** Beginnings of answers that can only be calls without marks. */
  get looseStarts(): readonly LooseStart[] {
    this.#looseStarts ??= looseStarts([...this.#tools.values()]);
    return this.#looseStarts;
  }

  get toolNames(): readonly string[] {
    return [...this.#tools.keys()];
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
    const isLoose = this.#isLoose;
    this.#pieces.push({ type: "tool-call-start", index, id, name, ...(isLoose && { isLoose }) });
    return new StartedCall({
      index,
      add: (piece) => this.#pieces.push(piece),
      accepts: (values) => !isLoose || this.#accepts(name, values),
    });
  }

  /** Adds a call whose arguments are complete. Returns false if they are refused. */
  addCall(name: string, argumentsText: string): boolean {
    const call = this.startCall(name);
    call.addArguments(argumentsText);
    return call.end();
  }

  #accepts(name: string, values: Record<string, unknown>): boolean {
    const isFine = fulfils(this.#tools.get(name)?.parameters, values);
    if (!isFine) this.callsNotRead += 1;
    return isFine;
  }

  /** Runs a reading of calls without marks, which count only if their arguments fulfil the schemas. */
  *loosely(reading: Reading<boolean>): Reading<boolean> {
    this.#isLoose = true;
    const succeeded = yield* reading;
    this.#isLoose = false;
    return succeeded;
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
    if (succeeded) for (const piece of own) outer.push(piece);
    else this.#calls = calls;
    return succeeded;
  }

  /** Returns the pieces since the last call. */
  drain(): OutputPiece[] {
    return this.#decided.splice(0);
  }
}

interface StartedCallOptions {
  index: number;
  add: (piece: OutputPiece) => void;
  accepts: (values: Record<string, unknown>) => boolean;
}

/** Call whose arguments are still arriving. */
export class StartedCall {
  readonly #options: StartedCallOptions;
  #text = "";

  constructor(options: StartedCallOptions) {
    this.#options = options;
  }

  readonly addArguments = (text: string): void => {
    this.#text += text;
    this.#options.add({ type: "tool-call-arguments", index: this.#options.index, text });
  };

  /** Called once the arguments are a complete JSON object. Returns false if they are refused. */
  end(): boolean {
    const { index, add, accepts } = this.#options;
    const values = JSON.parse(this.#text);
    if (!accepts(values)) return false;
    add({ type: "tool-call-end", index, arguments: values });
    return true;
  }
}

// The tools of a chat: offers them to the model, asks a person about each call, and runs it.
import { describeError } from "../base/product-error.ts";
import type { Approvals } from "./approvals.ts";
import type { ToolArguments, ToolDescription, ToolImage, ToolServer } from "./tool.ts";
import { cutResult } from "./tool-result.ts";

/** A tool under the name that the model uses. */
export interface OfferedTool {
  readonly name: string;
  readonly tool: ToolDescription;
}

/** A call as the model wrote it. */
export interface WantedCall {
  readonly name: string;
  readonly arguments: ToolArguments;
  /** Written as plain text, without the marks of the model's template: it may be a quotation. */
  readonly isFromText: boolean;
}

export interface CallQuestion {
  readonly tool: ToolDescription;
  readonly arguments: ToolArguments;
  readonly isFromText: boolean;
}

export type Decision =
  | { readonly kind: "once" | "in-chat" | "always"; readonly arguments?: ToolArguments }
  /** The model reads the reason. */
  | { readonly kind: "no"; readonly reason: string };

/** Asks a person. @throws errors that end the answer */
export type Decide = (question: CallQuestion, signal: AbortSignal) => Promise<Decision>;

export interface CallOutcome {
  /** Empty for a tool that does not exist. */
  readonly server: string;
  /** As run: a person may have changed them. */
  readonly arguments: ToolArguments;
  /** What the model reads. */
  readonly text: string;
  readonly isError: boolean;
  readonly images: readonly ToolImage[];
  /** The person refused it. */
  readonly ending?: "refused";
}

export interface ToolboxOptions {
  /** The servers that are on. */
  readonly servers: () => readonly ToolServer[];
  /** False for a tool that is switched off. */
  readonly isOn: (tool: ToolDescription) => boolean;
  readonly approvals: Approvals;
  readonly decide: Decide;
  /** Called with a sentence, once for each server that fails. */
  readonly onProblem: (sentence: string) => void;
  readonly callTimeoutMs: number;
  readonly maxResultBytes: number;
  /** Lets tools that only read run without a question. */
  readonly allowsReading: boolean;
}

export class Toolbox {
  readonly #options: ToolboxOptions;
  /** Servers that did not start: they would delay each message. */
  readonly #failed = new WeakSet<ToolServer>();

  constructor(options: ToolboxOptions) {
    this.#options = options;
  }

  /** Starts servers that do not run yet; those that fail offer nothing. */
  async offered(signal: AbortSignal): Promise<readonly OfferedTool[]> {
    const { servers, onProblem } = this.#options;
    await Promise.all(
      servers().map(async (server) => {
        if (this.#failed.has(server)) return;
        try {
          await server.start(signal);
        } catch (error) {
          signal.throwIfAborted();
          this.#failed.add(server);
          onProblem(describeError(error));
        }
      }),
    );
    return this.#named;
  }

  get #named(): readonly OfferedTool[] {
    const { servers, isOn } = this.#options;
    return nameTools(servers().flatMap(({ tools }) => tools.filter(isOn)));
  }

  /**
   * @param typed what the person typed in this chat
   * @throws errors of `decide`; the signal's reason
   */
  async run(
    call: WantedCall,
    signal: AbortSignal,
    typed: readonly string[] = [],
  ): Promise<CallOutcome> {
    const { servers, callTimeoutMs, maxResultBytes } = this.#options;
    const tool = this.#named.find(({ name }) => name === call.name)?.tool;
    const server = servers().find(({ name }) => name === tool?.server);
    const outcome = { server: tool?.server ?? "", arguments: call.arguments, images: [] };
    if (tool === undefined || server === undefined) {
      return { ...outcome, text: `Error: there is no tool named ${call.name}.`, isError: true };
    }
    const decision = await this.#decide({ ...call, tool }, signal);
    if (decision.kind === "no") {
      const reason = decision.reason === "" ? "" : ` Reason: ${decision.reason}`;
      const text = `The user refused this call.${reason}`;
      return { ...outcome, text, isError: true, ending: "refused" };
    }
    const values = decision.arguments ?? call.arguments;
    const limits = {
      signal,
      timeoutMs: callTimeoutMs,
      typed: [...typed, ...changedTexts(call.arguments, values)],
    };
    try {
      const { text, images, isError } = await server.call(tool.name, values, limits);
      const isEmpty = text === "" && images.length === 0;
      const cut = cutResult(isEmpty ? "(no output)" : text, maxResultBytes);
      return { ...outcome, arguments: values, text: cut, isError, images };
    } catch (error) {
      signal.throwIfAborted();
      const text = `Error: ${describeError(error)}`;
      return { ...outcome, arguments: values, text, isError: true };
    }
  }

  async #decide(question: CallQuestion, signal: AbortSignal): Promise<Decision> {
    const { approvals, allowsReading, decide } = this.#options;
    const { tool, isFromText } = question;
    const isAllowed = approvals.has(tool) || (allowsReading && tool.isReadOnly);
    if (isAllowed && !isFromText && !tool.alwaysAsks) return { kind: "once" };
    const decision = await decide(question, signal);
    if (tool.alwaysAsks) return decision;
    if (decision.kind === "in-chat") approvals.allowInChat(tool);
    if (decision.kind === "always") approvals.allowAlways(tool);
    return decision;
  }
}

/** Returns the texts that a person changed in a call. */
function changedTexts(before: ToolArguments, after: ToolArguments): string[] {
  return Object.entries(after).flatMap(([name, value]) =>
    typeof value === "string" && value !== before[name] ? [value] : [],
  );
}

/** Names tools for the model: by their own names, or with their servers' if several have the same. */
export function nameTools(tools: readonly ToolDescription[]): OfferedTool[] {
  const counts = new Map<string, number>();
  for (const { name } of tools) counts.set(name, (counts.get(name) ?? 0) + 1);
  return tools.map((tool) => {
    const isAlone = counts.get(tool.name) === 1;
    const name = isAlone ? tool.name : `${tool.server}__${tool.name}`;
    // The server accepts any other name; models write these best.
    return { name: name.replace(/[^A-Za-z0-9_.-]/g, "_"), tool };
  });
}

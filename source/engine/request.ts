// The canonical request: every API translates to it, and each translates its events back.
import type { ChatImage, ToolDefinition } from "../prompt/chat-message.ts";
import type { PromptMessage, TemplateVariables } from "../prompt/prompt-template.ts";
import type { ModelParameters } from "../store/model-parameters.ts";
import type { EmbeddingText, GenerationEvent, TokenLogprob } from "./generation.ts";

/** Whether, or how hard, the model thinks before it answers. */
export type ThinkLevel = boolean | "low" | "medium" | "high" | "max";

export type ToolChoice = "auto" | "none" | "required" | { name: string };

/** What the answer must be. */
export type AnswerFormat =
  | { kind: "json" }
  | { kind: "schema"; schema: unknown }
  /** In llama.cpp's notation. */
  | { kind: "grammar"; gbnf: string };

export interface ChatInput {
  kind: "chat";
  messages: PromptMessage[];
  tools: ToolDefinition[];
  toolChoice: ToolChoice;
  parallelToolCalls: boolean;
  /** In Go's template language, for this request alone. */
  template: string | undefined;
  /** Text that comes after the answer: it is filled in between. */
  suffix: string | undefined;
  /** Tokens of an earlier answer that the prompt follows; the model's own messages are left out. */
  context: number[] | undefined;
  /** For the model's Jinja template; what else the request says goes before them. */
  templateVariables: TemplateVariables;
  /** A model without a template goes on with the text, instead of answering in a format it may not know. */
  continuesText: boolean;
}

export type RequestInput =
  | ChatInput
  /** Text that goes to the model as it is; it may hold control tokens. */
  | {
      kind: "raw";
      /** Images stand where it says `[img-0]`, `[img-1]`. */
      text: string;
      images?: readonly ChatImage[];
      /** The prompt in place of the text: tokens of this very model, used as they are. */
      tokens?: readonly number[];
    }
  /** Only load the model. */
  | { kind: "load" };

export interface CanonicalRequest {
  /** As the client named it. */
  model: string;
  /** Who asks: where requests wait, clients take turns. */
  client?: string;
  /** Whether this client may name a file outside the store. */
  isFileAllowed: (file: string) => boolean;
  input: RequestInput;
  /** What the request itself sets; it overrides the model's own parameters. */
  parameters: ModelParameters;
  logitBias: ReadonlyArray<readonly [token: number, bias: number]>;
  ignoreEndOfText: boolean;
  topLogprobs: number | undefined;
  format: AnswerFormat | undefined;
  /** Undefined: as the model does it. */
  think: ThinkLevel | undefined;
  /** Leave out the oldest turns of a prompt that is too long, and say so. */
  truncate: boolean;
  /** Leave out the oldest turns when the window fills up during the answer, and say so. */
  shift: boolean;
  /** The final event brings the tokens of prompt and answer. */
  wantsContext: boolean;
  /** Report loading and the reading of the prompt. */
  reportProgress: boolean;
  /** Show the prompt instead of answering it. */
  renderOnly: boolean;
  /** How long the model stays loaded after this request; undefined leaves it as it is. */
  keepAliveMs: number | undefined;
  /** Told the prompt as the model gets it; once more when the oldest turns are left out. */
  onPrompt?: (text: string) => void;
}

/** A request that asks for nothing beyond its input. */
export function plainRequest(
  request: Pick<CanonicalRequest, "model" | "isFileAllowed" | "input"> & Partial<CanonicalRequest>,
): CanonicalRequest {
  return {
    parameters: {},
    logitBias: [],
    ignoreEndOfText: false,
    topLogprobs: undefined,
    format: undefined,
    think: undefined,
    truncate: false,
    shift: false,
    wantsContext: false,
    reportProgress: false,
    renderOnly: false,
    keepAliveMs: undefined,
    ...request,
  };
}

/** A conversation that asks for nothing beyond an answer. */
export function plainChat(messages: PromptMessage[], changes: Partial<ChatInput> = {}): ChatInput {
  return {
    kind: "chat",
    messages,
    tools: [],
    toolChoice: "auto",
    parallelToolCalls: true,
    template: undefined,
    suffix: undefined,
    context: undefined,
    templateVariables: {},
    continuesText: false,
    ...changes,
  };
}

export interface EmbeddingRequest {
  texts: EmbeddingText[];
  /** Cut what is longer than the window, instead of refusing it. */
  truncate: boolean;
  /** `num_ctx` bounds the length of each text; nothing is loaded anew for it. */
  parameters: ModelParameters;
  keepAliveMs: number | undefined;
}

/** What was left out so that the conversation fits the window. */
export interface Truncation {
  messages: number;
  tokens: number;
}

type Done = Extract<GenerationEvent, { type: "done" }>;

export type CanonicalEvent =
  /** A file of the model that bears another date is read, to tell whether it has changed. */
  | { type: "checking"; file: string; completedBytes: number; totalBytes: number }
  | { type: "loading"; fraction: number }
  /**
   * The model is ready; `loadMs` is what the request waited for it, `reloadedAfter` why it had been
   * unloaded before it was loaded again.
   */
  | { type: "loaded"; loadMs: number; reloadedAfter?: string }
  | ({ type: "truncated" } & Truncation)
  /** The last event of a request whose prompt is only shown; `images` counts those in it. */
  | { type: "rendered"; prompt: string; images: number; truncated?: Truncation }
  | Exclude<GenerationEvent, Done>
  /** `tokens` counts all of the answer so far, here and in `text`. */
  | { type: "thinking"; text: string; tokens: number; logprobs?: TokenLogprob[] }
  | { type: "tool-call"; index: number; id: string; name: string; tokens: number }
  /** Pieces of the arguments' JSON text. */
  | { type: "tool-arguments"; index: number; text: string; tokens: number }
  | { type: "tool-call-end"; index: number; arguments: Record<string, unknown> }
  | (Done & { truncated?: Truncation; context?: number[] });

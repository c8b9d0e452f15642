// The canonical request: every API translates to it, and each translates its events back.
import type { ChatImage, ToolDefinition } from "../prompt/chat-message.ts";
import type { PromptMessage, TemplateVariables } from "../prompt/prompt-template.ts";
import type { ModelParameters } from "../store/model-parameters.ts";
import type { EmbeddingText, GenerationEvent, TokenLogprob } from "./generation.ts";

/** Thinking before the answer: on, off, or how much of it. */
export type ThinkLevel = boolean | "low" | "medium" | "high" | "max";

export type ToolChoice = "auto" | "none" | "required" | { name: string };

/** Format that the answer must follow. */
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
  /** In Go's template language; replaces the model's template for this request. */
  template: string | undefined;
  /** Text that follows the answer: the model fills in the gap. */
  suffix: string | undefined;
  /**
   * Tokens of an earlier answer that the prompt continues; the model's own messages are left out.
   */
  context: number[] | undefined;
  /** Variables for the model's Jinja template; other fields of the request take precedence. */
  templateVariables: TemplateVariables;
  /**
   * A model without a template continues the text instead of using a chat format it may not know.
   */
  continuesText: boolean;
}

export type RequestInput =
  | ChatInput
  /** Text that goes to the model as it is; it may contain control tokens. */
  | {
      kind: "raw";
      /** `[img-0]`, `[img-1]` mark the places of images. */
      text: string;
      images?: readonly ChatImage[];
      /** Used instead of the text: tokens of this very model, as they are. */
      tokens?: readonly number[];
    }
  /** Only loads the model. */
  | { kind: "load" };

export interface CanonicalRequest {
  /** As the client named it. */
  model: string;
  /** Name of the client: clients take turns in the queue. */
  client?: string;
  /** Returns true if this client may name a file outside the store. */
  isFileAllowed: (file: string) => boolean;
  input: RequestInput;
  /** Parameters of the request; they override the model's own. */
  parameters: ModelParameters;
  logitBias: ReadonlyArray<readonly [token: number, bias: number]>;
  ignoreEndOfText: boolean;
  topLogprobs: number | undefined;
  format: AnswerFormat | undefined;
  /** Undefined: the model's default. */
  think: ThinkLevel | undefined;
  /** Leaves out the oldest turns of a prompt that is too long, and reports it. */
  truncate: boolean;
  /** Leaves out the oldest turns when the window fills up during the answer, and reports it. */
  shift: boolean;
  /** The final event includes the tokens of prompt and answer. */
  wantsContext: boolean;
  /** Reports loading and the reading of the prompt. */
  reportProgress: boolean;
  /** Returns the prompt instead of answering it. */
  renderOnly: boolean;
  /** Time until the idle model is unloaded; undefined leaves it unchanged. */
  keepAliveMs: number | undefined;
  /** Aborting it ends the model's thinking, and the answer follows. */
  answerNow?: AbortSignal;
  /** Called with the prompt as the model gets it, and again when the oldest turns are left out. */
  onPrompt?: (text: string) => void;
}

/** Returns a request with defaults for everything beyond its input. */
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

/** Returns a conversation with defaults for everything beyond its messages. */
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

/** Says that a request is not served exactly as it asks, or what it did to other models. */
export interface EngineWarning {
  /**
   * `window`: it gets another window than it asks for. `evicted`: a model was unloaded for it.
   * `left-out`: the model runs without something that it was to be loaded with.
   */
  kind: "window" | "evicted" | "left-out";
  sentence: string;
}

/** Needs of a request that uses a model without answering. */
export interface ModelUse {
  /** For embeddings, `num_ctx` limits the length of each text; it never reloads the model. */
  parameters: ModelParameters;
  keepAliveMs: number | undefined;
  /** Called with the sentences of warnings. */
  onWarning?: (sentence: string) => void;
}

export interface EmbeddingRequest extends ModelUse {
  texts: EmbeddingText[];
  /** Cuts texts that are longer than the window instead of refusing them. */
  truncate: boolean;
}

export interface RankRequest extends Omit<EmbeddingRequest, "texts"> {
  /** As the client named it. */
  model: string;
  query: string;
  documents: string[];
}

/** Number of messages and tokens left out so that the conversation fits the window. */
export interface Truncation {
  messages: number;
  tokens: number;
}

type Done = Extract<GenerationEvent, { type: "done" }>;

export type CanonicalEvent =
  /** A file of the model has a new date and is read to see if its content changed. */
  | { type: "checking"; file: string; completedBytes: number; totalBytes: number }
  | { type: "loading"; fraction: number }
  /** The weights are read; the context window is being created. */
  | { type: "warming-up" }
  /**
   * The model is ready. `loadMs` is how long the request waited for it, `reloadedAfter` the reason
   * it was unloaded before.
   */
  | { type: "loaded"; loadMs: number; reloadedAfter?: string }
  | ({ type: "warning" } & EngineWarning)
  | ({ type: "truncated" } & Truncation)
  /** Last event of a request that only renders its prompt, with the number of tokens and images in it. */
  | { type: "rendered"; prompt: string; tokens: number; images: number; truncated?: Truncation }
  | Exclude<GenerationEvent, Done>
  /** `tokens` counts the whole answer so far, here and in `text`. */
  | { type: "thinking"; text: string; tokens: number; logprobs?: TokenLogprob[] }
  /** `isLoose`: read from text, without the marks of the model's format. */
  | { type: "tool-call"; index: number; id: string; name: string; tokens: number; isLoose?: true }
  /** Pieces of the arguments' JSON text. */
  | { type: "tool-arguments"; index: number; text: string; tokens: number }
  | { type: "tool-call-end"; index: number; arguments: Record<string, unknown> }
  /** `callsNotRead` counts calls in text whose arguments do not fulfil their tool's schema. */
  | (Done & { truncated?: Truncation; context?: number[]; callsNotRead?: number });

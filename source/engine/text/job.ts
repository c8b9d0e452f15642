// A request in the batching loop, from arrival to its last event.
import type {
  FinishReason,
  GenerationEvent,
  GenerationRequest,
  TokenLogprob,
} from "../generation.ts";
import { type FailedEvent, toWire } from "../runner/protocol.ts";
import type { AddonGrammarEvaluationState, AddonSampler } from "./addon.ts";
import { type AnswerPiece, AnswerText } from "./answer-text.ts";
import { type AnswerDrafts, newDrafts } from "./draft-pace.ts";
import { LookupDraft } from "./lookup-draft.ts";
import { MarkWatcher } from "./mark-watcher.ts";
import type { ImagePiece } from "./picture-reader.ts";
import { ThinkingLimit } from "./thinking-limit.ts";

export type LoopEvent = GenerationEvent | FailedEvent;

/** Converts an error into the event of a request that failed before it had a slot. */
export function failedEvent(error: unknown): FailedEvent {
  return { type: "failed", ...toWire(error) };
}

export interface Job {
  readonly id: number;
  readonly request: GenerationRequest;
  /** Negative tokens belong to images. */
  readonly promptTokens: number[];
  /** Numbers of prompt tokens after which reading pauses for a checkpoint, ascending. */
  pauses: readonly number[];
  /** Length of the beginning that other conversations may share. */
  beginning: number | undefined;
  /** The prompt's images by their first tokens. */
  readonly images: ReadonlyMap<number, ImagePiece>;
  /** Limit of generated tokens; the window's end may come first. */
  readonly maxTokens: number;
  readonly emit: (event: LoopEvent) => void;
  readonly answer: AnswerText;
  readonly lookup: LookupDraft | undefined;
  /** Use of a draft model, if there is one. */
  readonly drafts: AnswerDrafts;
  /** Monotonic milliseconds, as the times below, which are undefined until they happen. */
  readonly arrived: number;
  admitted: number | undefined;
  firstToken: number | undefined;
  lastToken: number | undefined;
  /** Number of prompt tokens in the slot. */
  read: number;
  cachedTokens: number;
  /** Sampled token that the next step evaluates. */
  next: number | undefined;
  generated: number;
  /** Guessed tokens that steps checked, and those that were right. */
  drafted: number;
  accepted: number;
  /** Number of times the last token has been repeated in a row. */
  repeated: number;
  cancelled: boolean;
  sampler: AddonSampler | undefined;
  /** Watches for the marks of grammars; undefined without any, and after the first mark. */
  watcher: MarkWatcher | undefined;
  /** Limit of the thinking; undefined without any, and once it was applied. */
  thinking: ThinkingLimit | undefined;
  /** Tokens that come next, whatever the model would choose. */
  forced: number[];
  /** Position of the answer in its grammar, which the sampler advances. */
  grammar: AddonGrammarEvaluationState | undefined;
  /** Milliseconds that the grammar took for recent tokens, beyond what it may take. */
  grammarExcessMs: number;
  /** Last reported position in the queue. */
  reportedAhead: number | undefined;
}

/** Prompt as the loop takes it. */
export interface PromptTokens {
  tokens: number[];
  images?: Job["images"];
}

export function createJob(
  id: number,
  request: GenerationRequest,
  { tokens: promptTokens, images = new Map() }: PromptTokens,
  options: { contextLength: number; usesLookup: boolean; emit: (event: LoopEvent) => void },
): Job {
  const room = options.contextLength - promptTokens.length;
  const maxTokens = Math.min(request.maxTokens ?? room, room);
  return {
    id,
    request,
    promptTokens,
    pauses: [],
    beginning: undefined,
    images,
    maxTokens,
    emit: options.emit,
    answer: new AnswerText(request.stop),
    lookup: options.usesLookup ? new LookupDraft(promptTokens) : undefined,
    drafts: newDrafts(),
    arrived: performance.now(),
    admitted: undefined,
    firstToken: undefined,
    lastToken: undefined,
    read: 0,
    cachedTokens: 0,
    next: undefined,
    generated: 0,
    drafted: 0,
    accepted: 0,
    repeated: 0,
    cancelled: false,
    sampler: undefined,
    watcher: request.lazy === undefined ? undefined : new MarkWatcher(request.lazy),
    thinking:
      request.thinking === undefined ? undefined : new ThinkingLimit(request.thinking, maxTokens),
    forced: [],
    grammar: undefined,
    grammarExcessMs: 0,
    reportedAhead: undefined,
  };
}

/** Returns true while the job's prompt is being computed. */
export function isReading(job: Job): boolean {
  return job.next === undefined;
}

/** Counts the tokens of the prompt that may be read before the next pause. */
export function tokensToPause({ promptTokens, pauses, read }: Job): number {
  return (pauses.find((pause) => pause > read) ?? promptTokens.length) - read;
}

export interface SampledToken {
  token: number;
  bytes: Uint8Array;
  /** True if the model ended its answer with this token. */
  isEnd: boolean;
  logprob?: TokenLogprob;
}

export interface AnswerEnd {
  reason: FinishReason;
  stopText?: string;
}

/** Adds one token to the answer. @returns the end of the answer, if this token ends it */
export function takeToken(job: Job, sampled: SampledToken): AnswerEnd | undefined {
  const now = performance.now();
  job.firstToken ??= now;
  job.lastToken = now;
  job.generated += 1;
  if (sampled.isEnd) return { reason: "stop" };
  job.repeated = sampled.token === job.next ? job.repeated + 1 : 1;
  job.next = sampled.token;
  job.lookup?.push(sampled.token);
  const piece = job.answer.push(sampled.bytes, sampled.logprob);
  emitPiece(job, piece);
  if (piece.stop !== undefined) return { reason: "stop", stopText: piece.stop };
  const isHeld = job.request.lazy !== undefined && job.watcher === undefined;
  const isOver = job.generated >= job.maxTokens || (!isHeld && isStuck(job));
  return isOver ? { reason: "length" } : undefined;
}

/** Ollama's limit: a model that only repeats a token would continue to the window's end. */
const maxRepeats = 30;

/**
 * Returns true if an answer only repeats one token. A grammar may demand such an answer, and a request
 * that ignores the end of text wants the whole answer.
 */
export function isStuck({ repeated, request }: Pick<Job, "repeated" | "request">): boolean {
  return repeated >= maxRepeats && request.grammar === undefined && !request.ignoreEndOfText;
}

/** Sends the job's last events and frees its sampler. */
export function endJob(job: Job, end: AnswerEnd): void {
  job.sampler?.dispose();
  job.sampler = undefined;
  if (end.stopText === undefined) emitPiece(job, job.answer.finish());
  const now = performance.now();
  const admitted = job.admitted ?? now;
  job.emit({
    type: "done",
    reason: end.reason,
    ...(end.stopText !== undefined && { stopText: end.stopText }),
    statistics: {
      promptTokens: job.promptTokens.length,
      cachedTokens: job.cachedTokens,
      completionTokens: job.generated,
      ...(job.drafted > 0 && { drafted: job.drafted, accepted: job.accepted }),
      ...(job.drafts.offAt !== undefined && { draftSpeed: job.drafts.offAt }),
      queueMs: admitted - job.arrived,
      promptMs: (job.firstToken ?? now) - admitted,
      completionMs: (job.lastToken ?? 0) - (job.firstToken ?? 0),
    },
  });
}

/** Ends the job with an error. */
export function failJob(job: Job, failure: Omit<FailedEvent, "type">): void {
  job.sampler?.dispose();
  job.sampler = undefined;
  job.emit({ type: "failed", ...failure });
}

function emitPiece(job: Job, piece: AnswerPiece): void {
  if (piece.text === "" && piece.logprobs.length === 0) return;
  job.emit({
    type: "text",
    text: piece.text,
    tokens: job.generated,
    ...(piece.logprobs.length > 0 && { logprobs: piece.logprobs }),
  });
}

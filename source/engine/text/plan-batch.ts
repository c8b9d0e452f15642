// Plan of the next decode step.
//
// With separate sequences llama.cpp splits a batch that mixes prompts and single tokens, so a step
// is either one token for every answering slot or a chunk of prompts, in turn. Small chunks keep
// the answering slots going and cancellation fast. Prompts of different lengths are split as well,
// so it is better to read a prompt whole than to cut it to fill a step. An image takes a separate
// step.
import { isReading, type Job, tokensToPause } from "./job.ts";
import type { PrefillChunk } from "./prefill-pace.ts";
import type { Slot } from "./slot.ts";

export interface BatchItem {
  slot: Slot<Job>;
  job: Job;
  tokens: number[];
  /** Tokens whose logits are needed to sample the next one. */
  logits: "none" | "last" | "all";
}

export interface BatchPolicy {
  /** Most tokens in one step. */
  batchSize: number;
  /** Mixes prompts and answers in one step. */
  mixed: boolean;
  /** Max tokens to guess by lookup when one slot answers alone; 0 turns it off. */
  lookupTokens: number;
  /** See `loneRows`. */
  fillsLoneRows: boolean;
}

/** Start of an image, which a separate step puts into the context. */
export interface ImagePlan {
  kind: "image";
  slot: Slot<Job>;
  job: Job;
}

export interface BatchPlan {
  items: BatchItem[];
  kind: "prompt" | "answer" | "mixed";
}

export type StepPlan = BatchPlan | ImagePlan;

/**
 * @param slots all slots, ascending by id
 * @param prefillChunk returns the number of prompt tokens to read in a step
 * @param previous kind of the last step: prompts and answers take turns
 * @param guesses tokens that may follow in the answer of the only job
 * @returns undefined when no slot has work
 */
export function planBatch(
  slots: ReadonlyArray<Slot<Job>>,
  policy: BatchPolicy,
  prefillChunk: (isAlone: boolean) => PrefillChunk,
  previous: StepPlan["kind"] | undefined,
  guesses: readonly number[],
): StepPlan | undefined {
  const busy = slots.flatMap((slot) => (slot.job === undefined ? [] : [{ slot, job: slot.job }]));
  if (busy.length === 0) return undefined;
  const reading = byArrival(busy.filter(({ job }) => isReading(job)));
  const answering = busy.filter(({ job }) => !isReading(job));
  const [first] = reading;
  const hasRead = previous === "prompt" || previous === "image";
  if (first !== undefined && isAtImage(first.job) && !(hasRead && answering.length > 0)) {
    return { kind: "image", ...first };
  }
  const texts = reading.filter(({ job }) => !isAtImage(job));
  const answers = answering.length > 0 && (policy.mixed || texts.length === 0 || hasRead);
  const prompts = texts.length > 0 && (policy.mixed || !answers);

  const items: BatchItem[] = [];
  let room = policy.batchSize;
  if (answers) {
    for (const { slot, job } of answering) {
      if (job.next === undefined) continue;
      const draft = busy.length === 1 ? guesses : [];
      items.push({ slot, job, tokens: [job.next, ...draft], logits: "all" });
      room -= 1 + draft.length;
    }
  }
  if (prompts) items.push(...readPrompts(texts, prefillChunk(answering.length === 0), room));
  items.sort((a, b) => a.slot.id - b.slot.id);
  return { items, kind: answers && prompts ? "mixed" : answers ? "answer" : "prompt" };
}

/** Returns the next tokens of the prompts that arrived first. */
function readPrompts(
  texts: ReadonlyArray<{ slot: Slot<Job>; job: Job }>,
  chunk: PrefillChunk,
  room: number,
): BatchItem[] {
  const items: BatchItem[] = [];
  const [wanted, most] = [Math.min(chunk.wanted, room), Math.min(chunk.most, room)];
  let taken = 0;
  for (const { slot, job } of texts) {
    const next = Math.min(most - taken + 1, tokensToPause(job));
    const rest = upToImage(job.promptTokens.slice(job.read, job.read + next));
    const isWhole = taken + rest.length <= most;
    // A step that is already half full is not worth cutting a prompt for.
    if (!isWhole && taken >= Math.max(1, wanted / 2)) break;
    const tokens = isWhole ? rest : rest.slice(0, wanted - taken);
    taken += tokens.length;
    const isLast = job.read + tokens.length === job.promptTokens.length;
    items.push({ slot, job, tokens, logits: isLast ? "last" : "none" });
  }
  return items;
}

/** Returns true if the prompt's next token is the first of an image. */
function isAtImage({ promptTokens, read }: Job): boolean {
  return (promptTokens[read] ?? 0) < 0;
}

function upToImage(tokens: number[]): number[] {
  const image = tokens.findIndex((token) => token < 0);
  return image < 0 ? tokens : tokens.slice(0, image);
}

function byArrival<T extends { job: Job }>(reading: T[]): T[] {
  return [...reading].sort((a, b) => a.job.arrived - b.job.arrived || a.job.id - b.job.id);
}

/** Logit indexes for `addToBatch`, relative to the item's tokens. */
export function logitIndexesOf(item: BatchItem): Uint32Array {
  const count = item.tokens.length;
  if (item.logits === "none") return new Uint32Array(0);
  if (item.logits === "last") return Uint32Array.of(count - 1);
  return Uint32Array.from({ length: count }, (_, index) => index);
}

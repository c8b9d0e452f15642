// Decides when a draft model drafts, and how much, so that an answer is never noticeably slower than without:
// by the measured times of both models, and how often drafts are right.
import { expectedTokens } from "./draft-policy.ts";

/** Lengths of a draft, as for guesses: steps of 4, 8 and 16 tokens cost less for each than those between. */
const lengths = [3, 7, 15] as const;
/** Drafts of an answer that are short. */
const shortRounds = 3;
/** Gain below which drafting is not worth its unsteadiness. */
const leastGain = 1.05;
/** Share of the time of an answer that reading its text may take, and that drafts may lose. */
const lossShare = 0.015;
/** Measured speed below which drafting ends for the answer, after so many rounds. */
const leastSpeed = 0.97;
const roundsToJudge = 8;
/** A plain step among so many drafts keeps the comparison up to date. */
const roundsToPlain = 64;
const newWeight = 0.2;
/** Assumed until measured; what an attempt may cost is limited, so it is a high one. */
const usualAcceptance = 0.85;
const usualAnswerTokens = 100;
/** Power of the number of tokens with which the time of a step is assumed to grow: to four, it doubles. */
const assumedGrowth = 0.5;
/** Assumed time to read a token in a larger step, relative to one that is drafted. */
const assumedReading = 0.5;
/** Fewer tokens of a text predict little. */
const leastContext = 64;
/** More tokens are a text that was not read yet. */
const maxReadWithDraft = 8;
/** Answers to leave alone after one that drafting slowed down, doubled with each. */
const retryAfter = { first: 2, last: 32 };

/** Drafts of one answer. */
export interface AnswerDrafts {
  /** Share of right tokens, recent ones counting most; undefined before the first draft. */
  acceptance: number | undefined;
  rounds: number;
  /** Milliseconds of the rounds, and those that plain steps would have taken. */
  spentMs: number;
  plainMs: number;
  /** Milliseconds of reading the text with the draft model. */
  readingMs: number;
  /** Measured speed relative to plain steps, once drafting is off. */
  offAt: number | undefined;
}

export function newDrafts(): AnswerDrafts {
  return {
    acceptance: undefined,
    rounds: 0,
    spentMs: 0,
    plainMs: 0,
    readingMs: 0,
    offAt: undefined,
  };
}

/** State of an answer that may be drafted. */
export interface DraftChance {
  /** Milliseconds since the request has a slot. */
  elapsedMs: number;
  generated: number;
  /** Tokens that the next step has room for. */
  room: number;
  /** Tokens that the answer may still have. */
  left: number;
  /** Tokens that the draft model has not read yet. */
  unread: number;
}

export interface DraftPlan {
  /** Most tokens to draft. */
  most: number;
  /** Chance of a whole draft to be right below which it ends. */
  leastChance: number;
  /** Chance of a token to be right that the draft model gives a probability. */
  chanceOf: (probability: number) => number;
  /** Tokens at the end of the text to read; the others are left out. */
  reads: number;
}

/** Token that the draft model holds for the next one. */
export interface DraftGuess {
  token: number;
  /** The draft model's own. */
  probability: number;
}

/** Answer that the draft model read afterwards. */
export interface DraftStudy {
  read: number;
  readMs: number;
  steps: number;
  draftMs: number;
  /** Its guesses for the last tokens. */
  judged: ReadonlyArray<{ probability: number; isRight: boolean }>;
}

/** Upper ends of the ranges of probabilities whose chances are learned. */
const ranges = [0.3, 0.6, 0.85, 1];

/** Measured shares of right guesses by their probability, since draft models over- or underestimate it. */
class Chances {
  readonly #chances = ranges.map((end, at) => (end + (ranges[at - 1] ?? 0)) / 2);

  of(probability: number): number {
    return this.#chances[this.#rangeOf(probability)] ?? 0;
  }

  note(probability: number, isRight: boolean): void {
    const range = this.#rangeOf(probability);
    this.#chances[range] = learn(this.#chances[range], Number(isRight));
  }

  #rangeOf(probability: number): number {
    return ranges.findIndex((end) => probability <= end + 1e-6);
  }
}

export interface DraftPaceOptions {
  /** Measured milliseconds of a step with so many tokens. */
  stepMs: (tokens: number) => number | undefined;
  /** Size of the draft model relative to the model, from which its time is guessed until it is measured. */
  sizeRatio: number;
  /** Most tokens to draft. */
  most: number;
  /** See `MtpSettings`. */
  isForced?: boolean;
}

export class DraftPace {
  readonly #options: DraftPaceOptions;
  #tokenMs: number | undefined;
  #readMs: number | undefined;
  #acceptance: number | undefined;
  readonly #chances = new Chances();
  #answerTokens = usualAnswerTokens;
  /** Speed of the last judged answer, relative to plain steps. */
  #speed: number | undefined;
  #toSkip = 0;
  #retryAfter = retryAfter.first;

  constructor(options: DraftPaceOptions) {
    this.#options = options;
  }

  /** Called when an answer begins: it does without drafts if they slowed down earlier ones. */
  begin(drafts: AnswerDrafts): void {
    if (this.#toSkip === 0 || this.#options.isForced) return;
    this.#toSkip -= 1;
    drafts.offAt = this.#speed;
  }

  /** Learns from a whole answer. */
  end(drafts: AnswerDrafts, generated: number): void {
    this.#answerTokens = learn(this.#answerTokens, generated);
    if (drafts.offAt !== undefined || drafts.rounds < roundsToJudge) return;
    this.#speed = speedOf(drafts);
    this.#retryAfter = retryAfter.first;
  }

  /** @returns undefined when drafting would be slower, or would cost too much to find out */
  plan(drafts: AnswerDrafts, chance: DraftChance): DraftPlan | undefined {
    if (this.#options.isForced) {
      const most = Math.min(this.#options.most, chance.room);
      return { most, leastChance: 0, chanceOf: () => 1, reads: chance.unread };
    }
    const plainMs = this.#options.stepMs(1);
    if (plainMs === undefined || drafts.offAt !== undefined) return undefined;
    if (drafts.rounds % roundsToPlain === roundsToPlain - 1) {
      drafts.rounds += 1;
      return undefined;
    }
    const tokenMs = this.#tokenMs ?? plainMs * this.#options.sizeRatio;
    const readMs = this.#readMs ?? tokenMs * assumedReading;
    const acceptance = drafts.acceptance ?? this.#acceptance ?? usualAcceptance;
    // The first drafts of an answer are short: a wrong one costs little.
    const most = drafts.rounds < shortRounds ? lengths[0] : this.#options.most;
    const best = this.#best(Math.min(chance.room, most), plainMs, tokenMs, acceptance);
    if (best === undefined) return undefined;
    if (best.gain < leastGain) {
      // Measurements are enough to know; assumptions are not.
      const speed = drafts.rounds > 0 ? Math.min(speedOf(drafts), best.gain) : best.gain;
      if (drafts.acceptance !== undefined) this.#turnOff(drafts, speed);
      else if (this.#acceptance !== undefined) drafts.offAt = speed;
      return undefined;
    }
    const { stepMs } = best;
    const worstMs = best.most * tokenMs + stepMs - plainMs;
    const reads = this.#affordableReads(drafts, chance, {
      plainMs,
      readMs,
      worstMs,
      gain: best.gain,
    });
    if (reads === undefined) return undefined;
    const perToken = tokenMs + (stepMs - plainMs) / best.most;
    return {
      most: best.most,
      leastChance: Math.min(0.9, perToken / plainMs),
      chanceOf: (probability) => this.#chances.of(probability),
      reads,
    };
  }

  /**
   * Learns from the draft model's work.
   *
   * @returns the milliseconds that belong to this draft; reading a text is no part of it
   */
  noteDraft(
    drafts: AnswerDrafts,
    {
      read,
      readMs,
      steps,
      draftMs,
    }: { read: number; readMs: number; steps: number; draftMs: number },
  ): number {
    // Each draft reads the tokens that the last step chose.
    const isCatchingUp = read > maxReadWithDraft;
    if (isCatchingUp) {
      drafts.readingMs += readMs;
      this.#readMs = learn(this.#readMs, readMs / read);
      if (steps > 0) this.#tokenMs = learn(this.#tokenMs, draftMs / steps);
      return draftMs;
    }
    this.#tokenMs = learn(this.#tokenMs, (readMs + draftMs) / (steps + 1));
    return readMs + draftMs;
  }

  /**
   * Learns from the step that checked a draft, and ends drafting for the answer if it is slower.
   *
   * @param round milliseconds of drafting and of the step; the guesses in order, of which those to be
   *   checked come first; the tokens that the step yielded
   */
  noteRound(
    drafts: AnswerDrafts,
    round: {
      milliseconds: number;
      guesses: readonly DraftGuess[];
      yielded: readonly number[];
      elapsedMs: number;
    },
  ): void {
    const plainMs = this.#options.stepMs(1);
    if (plainMs === undefined) return;
    drafts.rounds += 1;
    drafts.spentMs += round.milliseconds;
    drafts.plainMs += plainMs * round.yielded.length;
    this.#learnAcceptance(drafts, round.guesses, round.yielded);
    const speed = speedOf(drafts);
    const isSlow = drafts.rounds >= roundsToJudge && speed < leastSpeed;
    const lostMs = drafts.spentMs - drafts.plainMs;
    if (isSlow || lostMs > lossShare * round.elapsedMs) this.#turnOff(drafts, speed);
  }

  #turnOff(drafts: AnswerDrafts, speed: number): void {
    if (this.#options.isForced) return;
    drafts.offAt = speed;
    this.#speed = speed;
    this.#toSkip = this.#retryAfter;
    this.#retryAfter = Math.min(retryAfter.last, this.#retryAfter * 2);
    // The next attempt may be with another kind of text.
    this.#acceptance = undefined;
  }

  /**
   * Learns from an answer that the draft model read afterwards, while there was nothing else to do: what
   * it would have guessed, and how long that takes.
   */
  noteStudy(study: DraftStudy): void {
    const { read, readMs, steps, draftMs, judged } = study;
    if (read > 0) this.#readMs = learn(this.#readMs, readMs / read);
    if (steps > 0) this.#tokenMs = learn(this.#tokenMs, draftMs / steps);
    const plainMs = this.#options.stepMs(1);
    if (plainMs === undefined || this.#tokenMs === undefined || judged.length === 0) return;
    for (const { probability, isRight } of judged) this.#chances.note(probability, isRight);
    const right = judged.filter(({ isRight }) => isRight).length;
    this.#acceptance = right / judged.length;
    const best = this.#best(this.#options.most, plainMs, this.#tokenMs, this.#acceptance);
    if (best === undefined) return;
    // An answer that drafts really slowed down counts for more than what could be expected.
    if (this.#toSkip > 1 || this.#retryAfter > retryAfter.first) return;
    this.#speed = best.gain;
    this.#toSkip = best.gain < leastGain ? 1 : 0;
  }

  #learnAcceptance(
    drafts: AnswerDrafts,
    guesses: readonly DraftGuess[],
    yielded: readonly number[],
  ): void {
    for (const [place, { token, probability }] of guesses.entries()) {
      const isRight = yielded[place] === token;
      this.#chances.note(probability, isRight);
      drafts.acceptance = learn(
        drafts.acceptance ?? this.#acceptance ?? usualAcceptance,
        Number(isRight),
      );
      this.#acceptance = learn(this.#acceptance ?? usualAcceptance, Number(isRight));
      if (!isRight) return;
    }
  }

  /** Returns the length that promises the most tokens for the time; undefined without room. */
  #best(
    room: number,
    plainMs: number,
    tokenMs: number,
    acceptance: number,
  ): { most: number; gain: number; stepMs: number } | undefined {
    const limit = Math.min(room, this.#options.most);
    const possible = [...lengths.filter((length) => length < limit), limit].filter((n) => n > 0);
    let best: { most: number; gain: number; stepMs: number } | undefined;
    let [known, knownTokens] = [plainMs, 1];
    for (const most of possible) {
      const measured = this.#options.stepMs(most + 1);
      const stepMs = measured ?? known * ((most + 1) / knownTokens) ** assumedGrowth;
      if (measured !== undefined) [known, knownTokens] = [measured, most + 1];
      const gain = (expectedTokens(most, acceptance) * plainMs) / (most * tokenMs + stepMs);
      if (gain > (best?.gain ?? 0)) best = { most, gain, stepMs };
    }
    return best;
  }

  /** Returns the tokens that may be read before drafting; undefined if it must wait. */
  #affordableReads(
    drafts: AnswerDrafts,
    { elapsedMs, generated, left, unread }: DraftChance,
    costs: { plainMs: number; readMs: number; worstMs: number; gain: number },
  ): number | undefined {
    const { plainMs, readMs, worstMs, gain } = costs;
    if (drafts.rounds > 0 && unread <= leastContext) return unread;
    const budgetMs = lossShare * elapsedMs - drafts.readingMs;
    const canLoseMs = lossShare * elapsedMs - (drafts.spentMs - drafts.plainMs);
    const isProven = this.#speed !== undefined && this.#speed > leastGain && this.#toSkip === 0;
    // An answer goes on for as long as others did, or as it already has.
    const expected = Math.min(left, Math.max(generated, this.#answerTokens - generated));
    const savingMs = isProven ? expected * plainMs * (1 - 1 / gain) * 0.5 : 0;
    if (!isProven && canLoseMs < worstMs) return undefined;
    const affordable = Math.floor(Math.max(budgetMs, savingMs) / readMs);
    if (affordable >= unread) return unread;
    return affordable >= leastContext ? affordable : undefined;
  }
}

function speedOf({ plainMs, spentMs }: AnswerDrafts): number {
  return spentMs === 0 ? 1 : plainMs / spentMs;
}

function learn(known: number | undefined, measured: number): number {
  return known === undefined ? measured : known + newWeight * (measured - known);
}

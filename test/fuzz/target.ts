// One kind of hostile input: what a module in targets/ gives the run.
import type { Dice } from "./dice.ts";

/** Input of a round. */
export interface Round {
  dice: Dice;
  /**
   * Tells what comes next, before it is sent or read: bytes, a curl command, a text. It stands beside the
   * failure that it leads to, and each counts as one attempt.
   */
  trying(reproduction: string): void;
}

/** Started once for many rounds. */
export interface Attack {
  /** Throws where the product does what it must not. */
  round(round: Round): Promise<void>;
  /** Process under attack; this one by default. */
  size?(): Promise<ProcessSize>;
  /** Throws where something is left behind. */
  close?(): Promise<void>;
}

export interface ProcessSize {
  handles: number;
  bytes: number;
}

export interface Target {
  name: string;
  /** Rounds of a default run, which takes a few minutes with all targets. */
  rounds: number;
  begin(): Promise<Attack>;
}

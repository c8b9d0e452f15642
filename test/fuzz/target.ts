// Interface of the modules in targets/, one for each kind of hostile input.
import type { Dice } from "./dice.ts";

/** Input of a round. */
export interface Round {
  dice: Dice;
  /**
   * Announces the next attempt before it is sent or read, as bytes, a curl command or a text. A failure is
   * reported with the last one.
   */
  trying(reproduction: string): void;
}

/** Started once for many rounds. */
export interface Attack {
  /** Throws when the product misbehaves. */
  round(round: Round): Promise<void>;
  /** Process under attack. Defaults to this one. */
  size?(): Promise<ProcessSize>;
  /** Throws when something is left behind. */
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

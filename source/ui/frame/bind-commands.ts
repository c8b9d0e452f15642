// Commands of a screen as one table: facts, when they are valid, and the action behind each.

import type { BoundCommand, CommandFacts } from "./screen.ts";

/** @template Situation the facts that decide which keys are valid */
export interface Command<Situation, Actions> extends CommandFacts {
  /** One word for the row of hints. */
  readonly hint?: string | ((situation: Situation) => string | undefined);
  readonly when: (situation: Situation) => boolean;
  readonly run: (
    actions: Actions,
    argument: string,
    situation: Situation,
  ) => ReturnType<BoundCommand["run"]>;
}

/** The table bound to a screen. @param situation read anew for each question */
export function bindCommands<Situation, Actions>(
  table: readonly Command<Situation, Actions>[],
  situation: () => Situation,
  actions: Actions,
): BoundCommand[] {
  return table.map(({ hint, when, run, ...facts }) => ({
    ...facts,
    hint: () => (typeof hint === "function" ? hint(situation()) : hint),
    isValid: () => when(situation()),
    run: (argument) => run(actions, argument, situation()),
  }));
}

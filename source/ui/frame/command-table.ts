// Commands of a screen as a table: each row says when it is valid and what it does.

import type { BoundCommand, CommandFacts } from "./screen.ts";

export interface CommandRow<Context> extends CommandFacts {
  /** A word for the row of hints. Defaults to none. */
  readonly hint?: string | ((context: Context) => string | undefined);
  readonly when: (context: Context) => boolean;
  readonly run: (context: Context, argument: string) => ReturnType<BoundCommand["run"]>;
}

/** Fields of a row besides name, keys and title. */
export type RowRest<Context> = Pick<CommandRow<Context>, "when" | "run"> &
  Partial<CommandRow<Context>>;

/** @returns a function that makes rows of one screen, with ids starting with `area` */
export function commandRow<Context>(area: string, group: string) {
  return (
    name: string,
    keys: readonly string[],
    title: string,
    rest: RowRest<Context>,
  ): CommandRow<Context> => ({ id: `${area}.${name}`, title, group, keys, ...rest });
}

/** Binds a table to what its commands act on. */
export function bindCommands<Context>(
  rows: readonly CommandRow<Context>[],
  context: Context,
): BoundCommand[] {
  return rows.map(({ hint, when, run, ...facts }) => ({
    ...facts,
    hint: () => (typeof hint === "function" ? hint(context) : hint),
    isValid: () => when(context),
    run: (argument) => run(context, argument),
  }));
}

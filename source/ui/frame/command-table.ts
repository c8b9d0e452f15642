// A screen's commands as a table: each row says when its command is valid and what it does.

import type { BoundCommand, CommandFacts } from "./screen.ts";

export interface CommandRow<Context> extends CommandFacts {
  /** One word for the row of hints. Defaults to none. */
  readonly hint?: string | ((context: Context) => string | undefined);
  readonly when: (context: Context) => boolean;
  readonly run: (context: Context, argument: string) => ReturnType<BoundCommand["run"]>;
}

/** Everything of a row that `commandRow` is not given by itself. */
export type RowRest<Context> = Pick<CommandRow<Context>, "when" | "run"> &
  Partial<CommandRow<Context>>;

/** @returns makes the rows of one screen: their ids begin with `area` */
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

// Commands of a screen: a table with a row each, and the editing keys of its one-line field.

import type { CommandFacts } from "../../chat/commands/command.ts";
import { reduceEditor } from "../editor/editor-reducer.ts";
import type { EditorState } from "../editor/editor-state.ts";
import { fieldActions, fieldAfterText } from "../editor/line-field.ts";
import type { BoundCommand, Hint, Screen } from "./screen.ts";

export interface CommandRow<Context> extends CommandFacts {
  /** A word for the row of hints. Defaults to none. */
  readonly hint?: string | Hint | ((context: Context) => string | undefined);
  readonly when: (context: Context) => boolean;
  readonly run: (context: Context, argument: string) => ReturnType<BoundCommand["run"]>;
}

/** Fields of a row besides name, keys and title. Without `when` the command is always available. */
type RowRest<Context> = Pick<CommandRow<Context>, "run"> & Partial<CommandRow<Context>>;

/**
 * Returns a function that creates rows of one screen; their ids start with `area`.
 *
 * @param where when their keys are valid at all. Defaults to always
 */
export function commandRow<Context>(
  area: string,
  group: string,
  where: CommandRow<Context>["when"] = () => true,
) {
  return (
    name: string,
    keys: readonly string[],
    title: string,
    { when = () => true, ...rest }: RowRest<Context>,
  ): CommandRow<Context> => ({
    id: `${area}.${name}`,
    title,
    group,
    keys,
    ...rest,
    when: (context) => where(context) && when(context),
  });
}

/** Returns the rest of a row that scrolls by a distance. */
export function scrolling<Context, Distance>(
  act: (context: Context, distance: Distance) => undefined,
  distance: Distance,
  when: CommandRow<Context>["when"] = () => true,
): RowRest<Context> {
  return { group: "Scrolling", when, run: (context) => act(context, distance) };
}

/** Binds a table to the context of its commands. */
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

/** The one-line field of a screen. */
export interface ScreenField {
  /** True while the field has the focus. */
  readonly isTyping: () => boolean;
  readonly edit: (change: (field: EditorState) => EditorState) => void;
}

/** Connects the commands of a screen and its field to the frame. */
export function screenInput<Context>(
  rows: readonly CommandRow<Context>[],
  context: Context,
  { isTyping, edit }: ScreenField,
): Pick<Screen, "commands" | "isTyping" | "type" | "paste"> {
  const commands = [...bindCommands(rows, context), ...fieldCommands({ isTyping, edit })];
  const type = (text: string) => edit((field) => fieldAfterText(field, text));
  return { commands: () => commands, isTyping, type, paste: type };
}

/** Editing keys of one-line fields, for the documentation. */
export const fieldCommandFacts: readonly CommandFacts[] = fieldActions.map(factsOf);

function fieldCommands({ isTyping, edit }: ScreenField): BoundCommand[] {
  return fieldActions.map((action) => ({
    ...factsOf(action),
    hint: () => undefined,
    isValid: isTyping,
    run: () => {
      edit((state) => reduceEditor(state, { type: action[0] }));
      return undefined;
    },
  }));
}

function factsOf([type, title, keys]: (typeof fieldActions)[number]): CommandFacts {
  return { id: `field.${type}`, title, group: "Single-line fields", keys };
}

// The editing keys of fields of one line, as commands for help, documentation and the key router.

import { reduceEditor } from "../editor/editor-reducer.ts";
import type { EditorState } from "../editor/editor-state.ts";
import { fieldActions } from "../editor/line-field.ts";
import type { BoundCommand, CommandFacts } from "./screen.ts";

/** The keys of every field of one line, for the documentation. */
export const fieldCommandFacts: readonly CommandFacts[] = fieldActions.map(factsOf);

/** The editing keys as commands of a screen whose field has the focus. */
export function fieldCommands(
  isValid: () => boolean,
  change: (edit: (state: EditorState) => EditorState) => void,
): BoundCommand[] {
  return fieldActions.map((action) => ({
    ...factsOf(action),
    hint: () => undefined,
    isValid,
    run: () => {
      change((state) => reduceEditor(state, { type: action[0] }));
      return undefined;
    },
  }));
}

function factsOf([type, title, keys]: (typeof fieldActions)[number]): CommandFacts {
  return { id: `field.${type}`, title, group: "Single-line fields", keys };
}

// What a command is: one line of the table that keys, slash names, hints and help are made from.

import type { ChatSettings } from "../chat-backend.ts";
import type { EditorAction } from "../editor/editor-state.ts";
import type { ScrollRequest } from "../view/viewport.ts";

/** What decides which keys are valid now. */
export interface CommandSituation {
  readonly isBusy: boolean;
  readonly isEditorEmpty: boolean;
  /** The view has been scrolled away from the tail. */
  readonly isAnchored: boolean;
  readonly hasMessages: boolean;
}

/** What a command may do; implemented by the controller of the screen. */
export interface CommandContext {
  readonly settings: ChatSettings;
  edit(action: EditorAction): void;
  /** One row up or down in the editor, past its edge through the history. */
  moveRow(direction: -1 | 1): void;
  complete(): void;
  submit(): void;
  stop(): void;
  interrupt(): void;
  leave(): void;
  clearConversation(): void;
  changeSettings(settings: ChatSettings): void;
  scroll(request: ScrollRequest): void;
  openHelp(): void;
  /** Prints a text into the transcript; the model does not see it. */
  print(text: string): void;
}

export type CommandGroup = "Commands" | "Chat" | "Scrolling" | "Editing";

export interface Command {
  /** Stable name, `area.action`. */
  readonly id: string;
  /** What it does, for the help. */
  readonly title: string;
  readonly group: CommandGroup;
  /** Key names as in `interpretInput`; the first is the one to advertise. */
  readonly keys: readonly string[];
  /** Slash names, of one or two words. */
  readonly slash?: readonly string[];
  /** The words behind the slash name, for the help. */
  readonly slashArguments?: string;
  /** One word for the hint row. Without it the command is not hinted at. */
  readonly hint?: string | ((situation: CommandSituation) => string);
  /** When its keys are valid. Defaults to always. */
  readonly when?: (situation: CommandSituation) => boolean;
  /** When the hint is shown. Defaults to `when`. */
  readonly hintWhen?: (situation: CommandSituation) => boolean;
  /** Whether its slash name may be used while an answer runs. Defaults to false. */
  readonly isAllowedWhileBusy?: boolean;
  /**
   * Does it.
   * @param argument the text behind the slash name, empty for a key
   * @returns a sentence when it could not be done; the typed line then stays in the editor
   */
  run(context: CommandContext, argument: string): string | undefined;
}

// Actions of the field: editing, completion, history search, sending.

import { describeError } from "../../../../base/product-error.ts";
import {
  type Command,
  type CommandContext,
  runCommand,
} from "../../../../chat/commands/command.ts";
import { parameterFacts } from "../../../../chat/commands/model-parameters.ts";
import { parseLine, typedCommands } from "../../../../chat/commands/parse-line.ts";
import { completePath, pathBeforeCursor } from "../../../../client/attachments/complete-path.ts";
import { reduceEditor } from "../../../editor/editor-reducer.ts";
import type { EditorAction } from "../../../editor/editor-state.ts";
import type { SlashName } from "../../../frame/screen.ts";
import { editorWidth } from "../chat-layout.ts";
import type { ChatState } from "../chat-state.ts";
import type { ChatParts } from "../chat-view.ts";
import { resourceItems } from "../tools/resource-mentions.ts";
import type { MessageActions } from "../transcript/message-actions.ts";
import {
  emptySearch,
  foundEntry,
  type HistorySearchAction,
  reduceHistorySearch,
} from "./history-search.ts";
import {
  commandMenu,
  isComplete,
  type Menu,
  moveMenu,
  openMenu,
  pathMenu,
  takeItem,
} from "./menu.ts";
import { PromptSender } from "./prompt-sender.ts";

/** `/set temperature` and the like, which are short for `/set parameter`. */
const parameterSlashNames: readonly SlashName[] = parameterFacts.map(({ name, meaning }) => ({
  name: `/set ${name}`,
  title: meaning,
}));

function slashNamesOf({ slash = [], title }: Command): readonly SlashName[] {
  return slash.map((name) => ({ name, title }));
}

export class ComposerActions {
  readonly #chat: ChatParts;
  readonly #context: CommandContext;
  readonly #messages: MessageActions;
  readonly sender: PromptSender;
  /** Resolves when the menu for the current text is known, if there is one. */
  #opening: Promise<void> | undefined;

  /** @param context of typed commands */
  constructor(chat: ChatParts, context: CommandContext, messages: MessageActions) {
    this.#chat = chat;
    this.#context = context;
    this.#messages = messages;
    this.sender = new PromptSender(chat);
  }

  get #state(): ChatState {
    return this.#chat.store.get();
  }

  /** Takes typed or pasted text: one insertion that never sends. */
  insert(text: string): void {
    if (this.#state.search !== undefined) this.search({ type: "type", text });
    else this.edit({ type: "insert", text });
  }

  edit(action: EditorAction): undefined {
    const editor = reduceEditor(this.#state.editor, action);
    // Clearing the text ends the editing of a question; the next text is a new message.
    // No menu while stepping through earlier messages, which uses the same arrow keys.
    const isTyping = /^(?:insert|delete|setText)/.test(action.type);
    const menu = isTyping ? commandMenu(editor, this.#slashNames) : undefined;
    this.#chat.store.update({ editor, menu, ...(editor.text === "" && { editingId: undefined }) });
    this.#opening = undefined;
    if (!isTyping || menu !== undefined) return;
    const { actions, backend, tools } = this.#chat;
    const reading = openMenu(editor, backend, actions.folder, () => resourceItems(tools));
    if (reading !== undefined) void this.#openMenu(reading);
  }

  /** Moves a row up or down in the editor, past its edge through the history. */
  moveRow(direction: -1 | 1): undefined {
    this.edit({ type: "moveRow", direction, width: editorWidth(this.#chat.size().columns) });
  }

  async complete(): Promise<undefined> {
    const { text } = this.#state.editor;
    await this.#opening;
    if (this.#state.menu !== undefined && this.#state.editor.text === text) {
      return this.takeFromMenu();
    }
    if (await this.#completePath()) return;
    // The text has changed meanwhile.
    if (this.#state.editor.text !== text) return;
    const { examplePrompts } = this.#chat;
    const shown = examplePrompts.indexOf(text);
    if (this.#state.entries.length > 0) this.#messages.select(-1);
    else if (text === "" || shown !== -1) {
      const example = examplePrompts[(shown + 1) % examplePrompts.length];
      if (example !== undefined) this.edit({ type: "replace", text: example });
    }
  }

  submit(): undefined {
    if (this.#opening !== undefined) {
      void this.#submitAfter(this.#opening);
      return;
    }
    const typed = this.#state.editor.text;
    if (this.#continueAfterBackslash()) return;
    const { editor, menu } = this.#state;
    if (menu !== undefined && !isComplete(editor, menu)) return this.takeFromMenu();
    const otherNames = this.#slashNames.map(({ name }) => name);
    const line = parseLine(typed, otherNames);
    switch (line.kind) {
      case "blank":
        this.sender.sendNext();
        return;
      case "open":
        return this.edit({ type: "newline" });
      case "unknown":
        if (!line.isSetting && this.#chat.frame.runSlash(typed)) this.sender.shelve(typed);
        else {
          this.#chat.warn(line.sentence);
          this.edit({ type: "select" });
        }
        return;
      case "command": {
        const { command, argument } = line;
        if (!command.isAllowedWhileBusy && this.#isRefusedWhileBusy()) return;
        void this.#runTyped(typed, command, argument);
        return;
      }
      case "message":
        this.sender.send(line.text, typed);
    }
  }

  async openEditor(): Promise<undefined> {
    const saved = await this.#chat.frame.edit(this.#state.editor.text, "md");
    // Editors end a file with a line break.
    if (saved !== undefined) this.edit({ type: "replace", text: saved.replace(/\r?\n$/, "") });
  }

  startSearch(): undefined {
    this.#chat.store.update({ search: emptySearch });
  }

  search(action: HistorySearchAction): undefined {
    const { search, editor } = this.#state;
    if (search === undefined) return;
    this.#chat.store.update({ search: reduceHistorySearch(search, action, editor.history) });
  }

  /** @param isKept puts the shown match into the field */
  endSearch(isKept: boolean): undefined {
    const { search, editor } = this.#state;
    if (search === undefined) return;
    this.#chat.store.update({ search: undefined });
    const found = foundEntry(search, editor.history);
    if (isKept && found !== "") this.edit({ type: "replace", text: found });
  }

  moveMenu(direction: -1 | 1): undefined {
    const { menu } = this.#state;
    if (menu !== undefined) this.#chat.store.update({ menu: moveMenu(menu, direction) });
  }

  /** Puts the selected completion into the field. */
  takeFromMenu(): undefined {
    const { editor, menu } = this.#state;
    if (menu !== undefined) this.edit({ type: "setText", ...takeItem(editor, menu) });
  }

  closeMenu(): undefined {
    this.#chat.store.update({ menu: undefined });
  }

  /** Slash names of all screens, the chat's own first, each once. */
  get #slashNames(): readonly SlashName[] {
    const own = [...typedCommands.flatMap(slashNamesOf), ...parameterSlashNames];
    const named = new Set(own.map(({ name }) => name));
    return [...own, ...this.#chat.frame.slashNames().filter(({ name }) => !named.has(name))];
  }

  /** An unreadable menu counts as none. */
  #openMenu(reading: Promise<Menu | undefined>): Promise<void> {
    const { editor } = this.#state;
    const show = (menu: Menu | undefined): void => {
      if (this.#opening === opening) this.#opening = undefined;
      // The text has changed meanwhile.
      if (menu !== undefined && this.#state.editor === editor) this.#chat.store.update({ menu });
    };
    const opening: Promise<void> = reading.then(show, () => show(undefined));
    this.#opening = opening;
    return opening;
  }

  /** Enter pressed before the menu opens acts as if it were open. */
  async #submitAfter(opening: Promise<void>): Promise<void> {
    const { editor } = this.#state;
    await opening;
    if (this.#state.editor === editor) this.submit();
  }

  /** @returns false if there is no path before the cursor */
  async #completePath(): Promise<boolean> {
    const { text, cursor } = this.#state.editor;
    const path = pathBeforeCursor(text, cursor);
    if (path === undefined) return false;
    const { typed, matches } = await completePath(path, this.#chat.actions.folder);
    if (matches.length === 0) return false;
    // The text has changed meanwhile.
    if (this.#state.editor.text !== text) return true;
    const completed = text.slice(0, path.start) + typed + text.slice(cursor);
    this.edit({ type: "setText", text: completed, cursor: path.start + typed.length });
    if (matches.length > 1) {
      await this.#openMenu(pathMenu(this.#state.editor, this.#chat.actions.folder));
    }
    return true;
  }

  /** A backslash before the cursor turns Enter into a line break, for terminals with few keys. */
  #continueAfterBackslash(): boolean {
    const { text, cursor } = this.#state.editor;
    if (text[cursor - 1] !== "\\") return false;
    this.edit({ type: "deleteBackward" });
    this.edit({ type: "newline" });
    return true;
  }

  #isRefusedWhileBusy(): boolean {
    const { isBusy } = this.#chat.session;
    if (isBusy) this.#chat.warn("Still answering: wait or press Esc");
    return isBusy;
  }

  /** Clears the field at once, and restores the line if the command fails. */
  async #runTyped(typed: string, command: Command, argument: string): Promise<void> {
    this.sender.shelve(typed);
    const sentence = await runCommand(command, this.#context, argument, typed).catch(describeError);
    if (sentence === undefined) return;
    this.#chat.warn(sentence);
    this.edit({ type: "restore", text: typed });
  }
}

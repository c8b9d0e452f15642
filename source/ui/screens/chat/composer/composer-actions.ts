// Actions of the field: editing, completion, history search, sending.

import { describeError } from "../../../../base/product-error.ts";
import { type Command, runCommand } from "../../../../chat/commands/command.ts";
import { parameterFacts } from "../../../../chat/commands/model-parameters.ts";
import { parseLine } from "../../../../chat/commands/parse-line.ts";
import { resourceItems } from "../../../../chat/conversation/resource-mentions.ts";
import { completePath, pathBeforeCursor } from "../../../../client/attachments/complete-path.ts";
import { reduceEditor } from "../../../editor/editor-reducer.ts";
import type { EditorAction } from "../../../editor/editor-state.ts";
import type { SlashName } from "../../../frame/screen.ts";
import type { ChatContext } from "../chat-context.ts";
import { editorWidth } from "../chat-layout.ts";
import * as messages from "../transcript/message-actions.ts";
import {
  emptySearch,
  foundEntry,
  type HistorySearchAction,
  reduceHistorySearch,
} from "./history-search.ts";
import * as menus from "./menu.ts";
import * as prompts from "./prompt-actions.ts";

/** Takes typed or pasted text: one insertion that never sends. */
export function insert(chat: ChatContext, text: string): void {
  if (chat.state.search !== undefined) search(chat, { type: "type", text });
  else edit(chat, { type: "insert", text });
}

export function edit(chat: ChatContext, action: EditorAction): undefined {
  const { actions, backend, store, tools } = chat;
  const editor = reduceEditor(chat.state.editor, action);
  // No menu while stepping through earlier messages, which uses the same arrow keys.
  const isTyping = /^(?:insert|delete|setText)/.test(action.type);
  const isCommand = isTyping && editor.text.startsWith("/");
  const menu = isCommand ? menus.commandMenu(editor, slashNames(chat)) : undefined;
  // Clearing the text ends the editing of a question; the next text is a new message.
  store.update({ editor, menu, ...(editor.text === "" && { editingId: undefined }) });
  chat.opening = undefined;
  if (!isTyping || menu !== undefined) return;
  const reading = menus.openMenu(editor, backend, actions.folder, () => resourceItems(tools));
  if (reading !== undefined) void openMenu(chat, reading);
}

/** Moves a row up or down in the editor, past its edge through the history. */
export function moveRow(chat: ChatContext, direction: -1 | 1): undefined {
  edit(chat, { type: "moveRow", direction, width: editorWidth(chat.size().columns) });
}

export async function complete(chat: ChatContext): Promise<undefined> {
  const { text } = chat.state.editor;
  await chat.opening;
  if (chat.state.menu !== undefined && chat.state.editor.text === text) return takeFromMenu(chat);
  if (await completeTypedPath(chat)) return;
  // The text has changed meanwhile.
  if (chat.state.editor.text !== text) return;
  const { examplePrompts } = chat;
  const shown = examplePrompts.indexOf(text);
  if (chat.state.entries.length > 0) messages.select(chat, -1);
  else if (text === "" || shown !== -1) {
    const example = examplePrompts[(shown + 1) % examplePrompts.length];
    if (example !== undefined) edit(chat, { type: "replace", text: example });
  }
}

export function submit(chat: ChatContext): undefined {
  if (chat.opening !== undefined) {
    void submitAfter(chat, chat.opening);
    return;
  }
  const typed = chat.state.editor.text;
  if (continueAfterBackslash(chat)) return;
  const { editor, menu } = chat.state;
  if (menu !== undefined && !menus.isComplete(editor, menu)) return takeFromMenu(chat);
  const line = parseLine(
    typed,
    slashNames(chat).map(({ name }) => name),
  );
  switch (line.kind) {
    case "blank":
      return prompts.sendNext(chat);
    case "open":
      return edit(chat, { type: "newline" });
    case "unknown":
      if (!line.isSetting && chat.frame.runSlash(typed)) return prompts.shelve(chat, typed);
      chat.warn(line.sentence);
      return edit(chat, { type: "select" });
    case "command":
      if (!line.command.isAllowedWhileBusy && chat.session.isBusy) {
        return chat.warn("Still answering: wait or press Esc");
      }
      void runTyped(chat, typed, line.command, line.argument);
      return;
    case "message":
      return prompts.send(chat, line.text, typed);
  }
}

export async function openEditor(chat: ChatContext): Promise<undefined> {
  const saved = await chat.frame.edit(chat.state.editor.text, "md");
  // Editors end a file with a line break.
  if (saved !== undefined) edit(chat, { type: "replace", text: saved.replace(/\r?\n$/, "") });
}

export function startSearch({ store }: ChatContext): undefined {
  store.update({ search: emptySearch });
}

export function search(
  { store, state: { search, editor } }: ChatContext,
  action: HistorySearchAction,
): undefined {
  if (search === undefined) return;
  store.update({ search: reduceHistorySearch(search, action, editor.history) });
}

/** @param isKept puts the shown match into the field */
export function endSearch(chat: ChatContext, isKept: boolean): undefined {
  const { search, editor } = chat.state;
  if (search === undefined) return;
  chat.store.update({ search: undefined });
  const found = foundEntry(search, editor.history);
  if (isKept && found !== "") edit(chat, { type: "replace", text: found });
}

export function moveMenu({ store, state: { menu } }: ChatContext, direction: -1 | 1): undefined {
  if (menu !== undefined) store.update({ menu: menus.moveMenu(menu, direction) });
}

/** Puts the selected completion into the field. */
export function takeFromMenu(chat: ChatContext): undefined {
  const { editor, menu } = chat.state;
  if (menu !== undefined) edit(chat, { type: "setText", ...menus.takeItem(editor, menu) });
}

export function closeMenu({ store }: ChatContext): undefined {
  store.update({ menu: undefined });
}

/** `/set temperature` and the like, which are short for `/set parameter`. */
const parameterNames: readonly SlashName[] = parameterFacts.map(({ name, meaning }) => ({
  name: `/set ${name}`,
  title: meaning,
}));

function slashNames({ frame }: ChatContext): readonly SlashName[] {
  return [...frame.slashNames(), ...parameterNames];
}

/** An unreadable menu counts as none. */
function openMenu(chat: ChatContext, reading: Promise<menus.Menu | undefined>): Promise<void> {
  const { editor } = chat.state;
  const show = (menu: menus.Menu | undefined): void => {
    if (chat.opening === opening) chat.opening = undefined;
    // The text has changed meanwhile.
    if (menu !== undefined && chat.state.editor === editor) chat.store.update({ menu });
  };
  const opening: Promise<void> = reading.then(show, () => show(undefined));
  chat.opening = opening;
  return opening;
}

/** Enter pressed before the menu opens acts as if it were open. */
async function submitAfter(chat: ChatContext, opening: Promise<void>): Promise<void> {
  const { editor } = chat.state;
  await opening;
  if (chat.state.editor === editor) submit(chat);
}

/** @returns false if there is no path before the cursor */
async function completeTypedPath(chat: ChatContext): Promise<boolean> {
  const { folder } = chat.actions;
  const { text, cursor } = chat.state.editor;
  const path = pathBeforeCursor(text, cursor);
  if (path === undefined) return false;
  const { typed, matches } = await completePath(path, folder);
  if (matches.length === 0) return false;
  // The text has changed meanwhile.
  if (chat.state.editor.text !== text) return true;
  const completed = text.slice(0, path.start) + typed + text.slice(cursor);
  edit(chat, { type: "setText", text: completed, cursor: path.start + typed.length });
  if (matches.length > 1) await openMenu(chat, menus.pathMenu(chat.state.editor, folder));
  return true;
}

/** A backslash before the cursor turns Enter into a line break, for terminals with few keys. */
function continueAfterBackslash(chat: ChatContext): boolean {
  const { text, cursor } = chat.state.editor;
  if (text[cursor - 1] !== "\\") return false;
  edit(chat, { type: "deleteBackward" });
  edit(chat, { type: "newline" });
  return true;
}

/** Clears the field at once, and restores the line if the command fails. */
async function runTyped(
  chat: ChatContext,
  typed: string,
  command: Command,
  argument: string,
): Promise<void> {
  prompts.shelve(chat, typed);
  const sentence = await runCommand(command, chat.typed, argument, typed).catch(describeError);
  if (sentence === undefined) return;
  chat.warn(sentence);
  edit(chat, { type: "restore", text: typed });
}

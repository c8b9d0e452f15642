// A person's decisions about the model's calls: run, edit, refuse.

import { isRecord, parseJson } from "../../../../base/json.ts";
import { findJsonFault } from "../../../../base/json-fault.ts";
import {
  type CallQuestion,
  callTitle,
  type Decision,
} from "../../../../chat/conversation/call-text.ts";
import type { ChatParts } from "../chat-view.ts";

export class ToolDecisions {
  readonly #chat: ChatParts;

  constructor(chat: ChatParts) {
    this.#chat = chat;
  }

  /** Shows a call that waits for a decision; undefined: none does. A typed text keeps the keys. */
  show(question: CallQuestion | undefined): void {
    const { store } = this.#chat;
    if (question === undefined) {
      store.update({ asked: undefined });
      return;
    }
    const { editor, asked: before, search, selectedId } = store.get();
    const isIdle = editor.text === "" && search === undefined && selectedId === undefined;
    const isKeepable = !question.tool.alwaysAsks && !question.isFromText;
    store.update({ asked: { isFocused: before?.isFocused ?? isIdle, isKeepable } });
  }

  /** @param isFocused true: keys decide; false: they go into the field */
  focus(isFocused: boolean): undefined {
    const { store } = this.#chat;
    const { asked } = store.get();
    if (asked !== undefined) store.update({ asked: { ...asked, isFocused } });
  }

  run(kind: Exclude<Decision["kind"], "no">): undefined {
    const question = this.#question;
    if (question === undefined) return;
    this.#decide(question, { kind, arguments: question.arguments });
  }

  async refuse(): Promise<undefined> {
    const question = this.#question;
    if (question === undefined) return;
    const title = callTitle({ server: question.tool.server, name: question.tool.name });
    const typed = await this.#chat.frame.ask(`Refuse ${title}. Reason for the model (or none):`);
    if (typed !== undefined) this.#decide(question, { kind: "no", reason: typed.trim() });
  }

  /** Edits the arguments as JSON until they are an object, or the person cancels. */
  async edit(): Promise<undefined> {
    const question = this.#question;
    if (question === undefined) return;
    const asked = `Arguments of ${question.tool.name} (JSON)`;
    let text = JSON.stringify(question.arguments, undefined, 2);
    let problem = "";
    for (;;) {
      const typed = await this.#chat.frame.write(problem + asked, text);
      if (typed === undefined) return;
      const edited = parseJson(typed);
      if (isRecord(edited)) {
        this.#chat.session.changeArguments(question, edited);
        return;
      }
      text = typed;
      problem = `${problemOf(typed)}\n`;
    }
  }

  get #question(): CallQuestion | undefined {
    return this.#chat.session.question;
  }

  #decide(question: CallQuestion, decision: Decision): void {
    this.#chat.session.decide(question, decision);
  }
}

function problemOf(text: string): string {
  const fault = findJsonFault(text);
  if (fault === undefined) return "The arguments must be an object: { … }.";
  return `Line ${fault.line}, column ${fault.column}: ${fault.reason}.`;
}

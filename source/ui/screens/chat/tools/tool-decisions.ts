// A person's decisions about the model's calls: run, edit, refuse.

import { isRecord, parseJson } from "../../../../base/json.ts";
import { findJsonFault } from "../../../../base/json-fault.ts";
import {
  type CallQuestion,
  callTitle,
  type Decision,
} from "../../../../chat/conversation/call-text.ts";
import type { ChatContext } from "../chat-context.ts";

/** Shows a call that waits for a decision; undefined: none does. A typed text keeps the keys. */
export function showQuestion(
  { store, state }: ChatContext,
  question: CallQuestion | undefined,
): undefined {
  if (question === undefined) {
    store.update({ asked: undefined });
    return;
  }
  const { editor, asked: before, search, selectedId } = state;
  const isIdle = editor.text === "" && search === undefined && selectedId === undefined;
  const isKeepable = !question.tool.alwaysAsks && !question.isFromText;
  store.update({ asked: { isFocused: before?.isFocused ?? isIdle, isKeepable } });
}

/** @param isFocused true: keys decide; false: they go into the field */
export function focus({ store, state }: ChatContext, isFocused: boolean): undefined {
  if (state.asked !== undefined) store.update({ asked: { ...state.asked, isFocused } });
}

export function run({ session }: ChatContext, kind: Exclude<Decision["kind"], "no">): undefined {
  const { question } = session;
  if (question !== undefined) session.decide(question, { kind, arguments: question.arguments });
}

export async function refuse({ session, frame }: ChatContext): Promise<undefined> {
  const { question } = session;
  if (question === undefined) return;
  const title = callTitle({ server: question.tool.server, name: question.tool.name });
  const typed = await frame.ask(`Refuse ${title}. Reason for the model (or none):`);
  if (typed !== undefined) session.decide(question, { kind: "no", reason: typed.trim() });
}

/** Edits the arguments as JSON until they are an object, or the person cancels. */
export async function edit({ session, frame }: ChatContext): Promise<undefined> {
  const { question } = session;
  if (question === undefined) return;
  const asked = `Arguments of ${question.tool.name} (JSON)`;
  let text = JSON.stringify(question.arguments, undefined, 2);
  let problem = "";
  for (;;) {
    const typed = await frame.write(problem + asked, text);
    if (typed === undefined) return;
    const edited = parseJson(typed);
    if (isRecord(edited)) {
      session.changeArguments(question, edited);
      return;
    }
    text = typed;
    problem = `${problemOf(typed)}\n`;
  }
}

function problemOf(text: string): string {
  const fault = findJsonFault(text);
  if (fault === undefined) return "The arguments must be an object: { … }.";
  return `Line ${fault.line}, column ${fault.column}: ${fault.reason}.`;
}

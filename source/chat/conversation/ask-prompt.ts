// Lets a person choose a prompt of a tool server, and asks for its arguments.

import { toOneLine } from "../../base/display-text.ts";
import { harmlessInput } from "../../base/harmless-text.ts";
import type { ChatTools } from "../chat-backend.ts";

/** Questions to a person; undefined when cancelled. */
export interface PromptQuestions {
  /** Offers a list. @returns the chosen value */
  choose(title: string, choices: readonly PromptChoice[]): Promise<string | undefined>;
  /** Asks for a line. @param check returns the problem with an answer, which is then corrected */
  ask(
    question: string,
    initial: string,
    check: (text: string) => string | undefined,
  ): Promise<string | undefined>;
}

export interface PromptChoice {
  readonly value: string;
  readonly title: string;
  readonly note: string;
  /** The server. */
  readonly group: string;
}

/**
 * @returns the prompt's text; empty if there are no prompts, undefined if the person cancels
 * @throws ProductError `TOOLS_CALL_FAILED`
 */
export async function askPrompt(
  { set }: Pick<ChatTools, "set">,
  questions: PromptQuestions,
): Promise<string | undefined> {
  const prompts = await set.prompts();
  if (prompts.length === 0) return "";
  const choices = prompts.map(({ server, name, description }, index) => ({
    value: String(index),
    title: name,
    note: toOneLine(description),
    group: server,
  }));
  const chosen = prompts[Number(await questions.choose("Prompts of the tool servers", choices))];
  if (chosen === undefined) return undefined;
  const values: Record<string, string> = {};
  for (const { name, description, isRequired } of chosen.parameters) {
    const about = description === "" ? "" : `: ${toOneLine(description)}`;
    const optional = isRequired ? "" : " (optional)";
    const value = await questions.ask(`${chosen.name}, ${name}${optional}${about}`, "", (text) =>
      isRequired && text.trim() === "" ? `${name} is required.` : undefined,
    );
    if (value === undefined) return undefined;
    if (value !== "") values[name] = value;
  }
  return harmlessInput(await set.prompt(chosen, values));
}

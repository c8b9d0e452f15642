// Lets a person choose a prompt of a tool server, and asks for its arguments.

import { toOneLine } from "../../../../base/display-text.ts";
import type { ChatTools } from "../../../../chat/chat-backend.ts";
import type { FrameServices } from "../../../frame/screen.ts";

/**
 * @returns the prompt's text; empty if there are no prompts, undefined if the person cancels
 * @throws ProductError `TOOLS_CALL_FAILED`
 */
export async function askPrompt(
  { set }: Pick<ChatTools, "set">,
  frame: Pick<FrameServices, "choose" | "ask">,
): Promise<string | undefined> {
  const prompts = await set.prompts();
  if (prompts.length === 0) return "";
  const choices = prompts.map(({ server, name, description }, index) => ({
    value: String(index),
    title: name,
    note: toOneLine(description),
    group: server,
  }));
  const chosen = prompts[Number(await frame.choose("Prompts of the tool servers", choices))];
  if (chosen === undefined) return undefined;
  const values: Record<string, string> = {};
  for (const { name, description, isRequired } of chosen.parameters) {
    const about = description === "" ? "" : `: ${toOneLine(description)}`;
    const optional = isRequired ? "" : " (optional)";
    const value = await frame.ask(`${chosen.name}, ${name}${optional}${about}`, "", (text) =>
      isRequired && text.trim() === "" ? `${name} is required.` : undefined,
    );
    if (value === undefined) return undefined;
    if (value !== "") values[name] = value;
  }
  return await set.prompt(chosen, values);
}

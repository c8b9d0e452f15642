// Beginning of a call without marks: JSON whose white space does not matter.
import type { ToolDefinition } from "../chat-message.ts";

/** Beginning of an answer that can only be a call of an offered tool, up to its arguments. */
export interface LooseStart {
  /** Without white space outside strings: `{"name":"get_weather","arguments":`. */
  mark: string;
  tool: ToolDefinition;
  wrapper: LooseWrapper;
}

/** Text around calls; `separator` stands between them. */
export interface LooseWrapper {
  open: string;
  separator: string;
  close: string;
}

const wrappers: readonly LooseWrapper[] = [
  { open: "", separator: "", close: "" },
  { open: "[", separator: ",", close: "]" },
  { open: "<tool_call>", separator: "", close: "</tool_call>" },
];

export const looseArgumentsKeys = ["arguments", "parameters"];

/** Returns the beginnings for all tools. */
export function looseStarts(tools: readonly ToolDefinition[]): LooseStart[] {
  return tools.flatMap((tool) =>
    wrappers.flatMap((wrapper) =>
      looseArgumentsKeys.map((key) => ({
        mark: `${wrapper.open}{"name":${JSON.stringify(tool.name)},"${key}":`,
        tool,
        wrapper,
      })),
    ),
  );
}

/**
 * Compares the beginning of a text with marks, without white space outside strings.
 *
 * @returns the mark and what follows it; "maybe" if more text could become one; undefined otherwise
 */
export function compactStart<Start extends { mark: string }>(
  text: string,
  starts: readonly Start[],
): { start: Start; behind: string } | "maybe" | undefined {
  let left = starts;
  let length = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (!isInString && /\s/.test(character)) continue;
    if (character === '"') isInString = !isInString;
    left = left.filter(({ mark }) => mark.charAt(length) === character);
    length += 1;
    const start = left.find(({ mark }) => mark.length === length);
    if (start !== undefined) return { start, behind: text.slice(at + 1) };
    if (left.length === 0) return undefined;
  }
  return "maybe";
}

// A model's recorded output, and its expected pieces.
import type { ToolDefinition } from "../../../../source/prompt/chat-message.ts";
import type { OutputFormat } from "../../../../source/prompt/output/format-table.ts";
import type { ThinkingTags } from "../../../../source/prompt/output/thinking-block.ts";

export interface RecordedOutput {
  about: string;
  format: OutputFormat;
  output: string;
  thinking?: ThinkingTags;
  startsInThinking?: boolean;
  content?: string;
  thought?: string;
  calls?: Array<[name: string, args: Record<string, unknown>]>;
}

type Rest = Omit<RecordedOutput, "about" | "format" | "output">;

/**
 * @param name a tag stands for the generic format
 * @param outputs outputs and their expected pieces, by what they are about
 */
export function recorded(
  name: Exclude<OutputFormat["name"], "generic"> | { tag: string },
  outputs: Readonly<Record<string, [output: string, expected: Rest]>>,
): RecordedOutput[] {
  const format: OutputFormat = typeof name === "string" ? { name } : { name: "generic", ...name };
  const all = Object.entries(outputs);
  return all.map(([about, [output, rest]]) => ({ about, format, output, ...rest }));
}

export const think: ThinkingTags = { open: "<think>", close: "</think>" };

function tool(name: string, properties: Record<string, unknown> = {}): ToolDefinition {
  return { name, description: undefined, parameters: { type: "object", properties } };
}

const string = { type: "string" };
const integer = { type: "integer" };

/** The tools of all recordings; two of the names share a prefix. */
export const recordedTools: ToolDefinition[] = [
  tool("get_weather", { city: string, unit: { type: "string", enum: ["c", "f"] } }),
  tool("get_time", { city: string }),
  tool("special_function", { arg1: integer }),
  tool("special_function_with_opt", { arg1: integer, arg2: integer }),
  tool("python", { code: string }),
  tool("edit", { filename: string, oldString: string, newString: string }),
  tool("html", { markup: string }),
  tool("todo_list", { todos: { type: "array" } }),
  tool("set_config", { config: { type: "object" }, enabled: { type: "boolean" } }),
  tool("Calendar.create_event", { title: string, participants: { type: "array" } }),
  tool("empty_args"),
];

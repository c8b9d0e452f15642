// Anthropic's own tools: those that the client plays become functions, the others cannot run here.
import type { ToolDefinition } from "../../../prompt/chat-message.ts";

type Parameters = NonNullable<ToolDefinition["parameters"]>;

const text = (description: string) => ({ type: "string", description });
const path = text("Absolute path of a file or folder.");
const lines = {
  view_range: {
    type: "array",
    items: { type: "integer" },
    description: "First and last line to view; -1 is the end. Only for view.",
  },
  insert_line: { type: "integer", description: "Line after which to insert. Only for insert." },
};
const texts = {
  file_text: text("Content of the new file. Only for create."),
  old_str: text("Text to replace; it must occur exactly once. Only for str_replace."),
};

/**
 * Tools by the beginning of their type, which ends in a date. The parameters are those that Anthropic
 * publishes: https://platform.claude.com/docs/en/agents-and-tools/tool-use
 */
const played: ReadonlyArray<[prefix: string, description: string, parameters: Parameters]> = [
  [
    "bash_",
    "Run a command in a persistent bash session.",
    {
      type: "object",
      properties: {
        command: text("The command; required unless restart is true."),
        restart: { type: "boolean", description: "Start a new session." },
      },
    },
  ],
  [
    "text_editor_20250728",
    "View, create and edit text files.",
    fileCommands(["view", "create", "str_replace", "insert"], {
      new_str: text("Replacement. Only for str_replace."),
      insert_text: text("Text to insert. Only for insert."),
    }),
  ],
  [
    "text_editor_20250429",
    "View, create and edit text files.",
    fileCommands(["view", "create", "str_replace", "insert"], {
      new_str: text("Replacement for str_replace, or text to insert."),
    }),
  ],
  [
    "text_editor_",
    "View, create and edit text files.",
    fileCommands(["view", "create", "str_replace", "insert", "undo_edit"], {
      new_str: text("Replacement for str_replace, or text to insert."),
    }),
  ],
  [
    "memory_",
    "Keep notes in files below /memories, for later conversations.",
    fileCommands(["view", "create", "str_replace", "insert", "delete", "rename"], {
      new_str: text("Replacement. Only for str_replace."),
      insert_text: text("Text to insert. Only for insert."),
      old_path: text("Path to rename. Only for rename."),
      new_path: text("New path. Only for rename."),
    }),
  ],
];

function fileCommands(commands: string[], more: Record<string, unknown>): Parameters {
  const isMemory = commands.includes("rename");
  return {
    type: "object",
    properties: { command: { type: "string", enum: commands }, path, ...texts, ...more, ...lines },
    // Renaming names two other paths.
    required: isMemory ? ["command"] : ["command", "path"],
  };
}

/**
 * Returns the function that stands for one of Anthropic's tools, or undefined for a tool that only
 * Anthropic can run.
 *
 * @param type as the request names it, such as `bash_20250124`
 */
export function playedTool(type: string): Omit<ToolDefinition, "name"> | undefined {
  const found = played.find(([prefix]) => type.startsWith(prefix));
  if (found === undefined) return undefined;
  const [, description, parameters] = found;
  return { description, parameters };
}

/** Types of tools that Anthropic's servers or its own models run, by their beginnings. */
const hosted = [
  "advisor_",
  "browser_toolset_",
  "code_execution_",
  "computer_",
  "mcp_toolset",
  "tool_search_tool_",
  "web_fetch_",
  "web_search_",
];

export function isHostedTool(type: string): boolean {
  return hosted.some((prefix) => type.startsWith(prefix));
}

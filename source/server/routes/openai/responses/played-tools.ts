// OpenAI's own tools that the client plays: each is offered to the model as a function.
import type { ToolDefinition } from "../../../../prompt/chat-message.ts";

/** `tool_search` only where the client itself searches. */
export type PlayedKind = "local_shell" | "shell" | "apply_patch" | "tool_search";

const text = (description: string) => ({ type: "string", description });
const texts = (description: string) => ({
  type: "array",
  items: { type: "string" },
  description,
});
const milliseconds = { type: "integer", description: "Time limit in milliseconds." };

export function isPlayed(type: string): type is PlayedKind {
  return Object.hasOwn(playedTools, type);
}

/**
 * The parameters are the fields of the calls that clients carry out:
 * https://platform.openai.com/docs/guides/tools
 */
export const playedTools: Readonly<
  Record<PlayedKind, Required<Pick<ToolDefinition, "description" | "parameters">>>
> = {
  local_shell: {
    description: "Run a command on the user's machine.",
    parameters: {
      type: "object",
      properties: {
        command: texts("The program and its arguments."),
        working_directory: text("Folder to run it in."),
        timeout_ms: milliseconds,
      },
      required: ["command"],
    },
  },
  shell: {
    description: "Run shell commands on the user's machine.",
    parameters: {
      type: "object",
      properties: {
        commands: texts("Commands, which run one after the other."),
        timeout_ms: milliseconds,
        max_output_length: { type: "integer", description: "Maximum characters of output." },
      },
      required: ["commands"],
    },
  },
  apply_patch: {
    description: "Create, update or delete a file by a patch.",
    parameters: {
      type: "object",
      properties: {
        type: { type: "string", enum: ["create_file", "update_file", "delete_file"] },
        path: text("Path of the file."),
        diff: text(
          "The change, as lines that begin with a space, + or -, after a line with @@. Not for delete_file.",
        ),
      },
      required: ["type", "path"],
    },
  },
  tool_search: {
    description: "Search for more tools.",
    parameters: {
      type: "object",
      properties: { query: text("What the tool should do.") },
      required: ["query"],
    },
  },
};

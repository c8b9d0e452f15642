// Calls of each kind of tool and their outputs, as items of a request.
import { invalidField } from "../../../errors.ts";
import type { ConversationBuilder } from "../../conversation-builder.ts";
import { type Fields, readList, readObject, readOptional, readText } from "../../read-fields.ts";
import { offeredName, type ToolKind } from "./offered-tools.ts";

/** Types of items by the kind of tool that is called. */
export const callTypes: Readonly<Record<ToolKind, string>> = {
  function: "function_call",
  custom: "custom_tool_call",
  local_shell: "local_shell_call",
  shell: "shell_call",
  apply_patch: "apply_patch_call",
  tool_search: "tool_search_call",
};

const kindsByType: ReadonlyMap<string, ToolKind> = new Map(
  (Object.keys(callTypes) as ToolKind[]).map((kind) => [callTypes[kind], kind]),
);

export function isCall(type: string): boolean {
  return kindsByType.has(type);
}

export function isCallOutput(type: string): boolean {
  return type.endsWith("_output") && isCall(type.slice(0, -"_output".length));
}

/** Adds a call of an earlier answer, by the name that the model was offered. */
export function addCall(
  conversation: ConversationBuilder,
  item: Fields,
  type: string,
  where: string,
): void {
  const kind = kindsByType.get(type) ?? "function";
  // OpenAI's own search is no call of the model.
  if (kind === "tool_search" && item.execution !== "client") return;
  const isNamed = kind === "function" || kind === "custom";
  const name = isNamed ? readText(item.name, `${where}.name`) : kind;
  const namespace = readOptional(item.namespace, `${where}.namespace`, readText);
  conversation.addCall({
    id: readText(item.call_id, `${where}.call_id`),
    name: offeredName({ kind, name, namespace }),
    arguments: argumentsOf(kind, item, where),
  });
}

function argumentsOf(kind: ToolKind, item: Fields, where: string): Record<string, unknown> {
  switch (kind) {
    case "function":
      return readJson(item.arguments, `${where}.arguments`);
    case "custom":
      return { input: readText(item.input, `${where}.input`) };
    case "local_shell": {
      const { command, working_directory, timeout_ms } = readObject(item.action, `${where}.action`);
      return withoutNull({ command, working_directory, timeout_ms });
    }
    case "shell": {
      const action = readObject(item.action, `${where}.action`);
      const { commands, timeout_ms, max_output_length } = action;
      return withoutNull({ commands, timeout_ms, max_output_length });
    }
    case "apply_patch": {
      const { type, path, diff } = readObject(item.operation, `${where}.operation`);
      return withoutNull({ type, path, diff });
    }
    case "tool_search":
      return { ...readObject(item.arguments, `${where}.arguments`) };
  }
}

function withoutNull(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => (value ?? null) !== null));
}

function readJson(value: unknown, where: string): Record<string, unknown> {
  try {
    return readObject(JSON.parse(readText(value, where)), where);
  } catch {
    throw invalidField(
      where,
      `invalid tool call arguments: '${where}' must be the text of a JSON object.`,
    );
  }
}

/** Returns what the model reads of an output: text, or parts with images. */
export function outputOf(item: Fields, where: string): unknown {
  switch (item.type) {
    case "shell_call_output":
      return readList(item.output, `${where}.output`)
        .map((value, index) => shellText(readObject(value, `${where}.output.${index}`)))
        .join("\n");
    case "apply_patch_call_output":
      return item.output ?? item.status;
    case "tool_search_output":
      return "The tools that were found can be called now.";
    default:
      return item.output;
  }
}

function shellText({ stdout, stderr, outcome }: Fields): string {
  const end = readOptional(outcome, "outcome", readObject);
  const told = end?.type === "timeout" ? "timed out" : `exit code ${String(end?.exit_code ?? 0)}`;
  return [stdout, stderr, told].filter((text) => (text ?? "") !== "").join("\n");
}

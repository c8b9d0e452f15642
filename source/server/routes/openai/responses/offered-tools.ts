// Tools of a response: what the model is offered for each kind, and how its calls come back to the client.
import { quoteShort } from "../../../../base/display-text.ts";
import type { ToolDefinition } from "../../../../prompt/chat-message.ts";
import { invalidField, unsupportedField } from "../../../errors.ts";
import { type Fields, readList, readObject, readOptional, readText } from "../../read-fields.ts";
import { checkToolName } from "../../tool-fields.ts";
import { isPlayed, type PlayedKind, playedTools } from "./played-tools.ts";

/** Kinds of tools whose calls the client carries out. */
export type ToolKind = "function" | "custom" | PlayedKind;

/** A tool as the client named it. */
export interface ClientTool {
  kind: ToolKind;
  name: string;
  /** Group of tools that it belongs to. */
  namespace?: string | undefined;
}

/** A tool as the model is offered it: always a function. */
export interface OfferedTool extends ClientTool {
  definition: ToolDefinition;
}

/** Between a namespace and a name. Every template and every format of calls takes it in a name. */
const separator = "__";

/** Returns the name by which the model calls a tool. */
export function offeredName({ name, namespace }: ClientTool): string {
  return namespace === undefined ? name : `${namespace}${separator}${name}`;
}

/** Tools of one request. */
export class OfferedTools {
  readonly #tools = new Map<string, OfferedTool>();
  /** Types that only OpenAI can run. */
  readonly leftOut: string[] = [];

  get definitions(): ToolDefinition[] {
    return [...this.#tools.values()].map(({ definition }) => definition);
  }

  /** @param name as the model calls it; a name that was not offered is a function's */
  find(name: string): ClientTool {
    return this.#tools.get(name) ?? { kind: "function", name };
  }

  /** @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED` naming the tool */
  addAll(values: readonly unknown[], where: string): void {
    for (const [index, value] of values.entries()) this.#add(value, `${where}.${index}`);
  }

  #add(value: unknown, where: string): void {
    const tool = readObject(value, where);
    const type = readText(tool.type, `${where}.type`);
    if (type === "namespace") {
      this.#addNamespace(tool, where);
    } else if (type === "function" || type === "custom") {
      this.#offer(readNamed(tool, type, undefined, where), where);
    } else if (isHosted(type, tool)) {
      this.leftOut.push(type);
    } else if (isPlayed(type)) {
      // OpenAI's own search finds deferred tools, all of which are offered at once here.
      if (type === "tool_search" && tool.execution !== "client") return;
      this.#offer(readPlayed(tool, type, where), where);
    } else {
      throw unsupportedField(
        `${where}.type`,
        `${quoteShort(type)} is not a supported type; use function, custom or namespace`,
      );
    }
  }

  #addNamespace(tool: Fields, where: string): void {
    const namespace = readName(tool.name, `${where}.name`);
    for (const [index, value] of readList(tool.tools, `${where}.tools`).entries()) {
      const place = `${where}.tools.${index}`;
      const member = readObject(value, place);
      const type = readText(member.type, `${place}.type`);
      if (type !== "function" && type !== "custom") {
        throw unsupportedField(
          `${place}.type`,
          `${quoteShort(type)} is not a supported type in a namespace; use function or custom`,
        );
      }
      this.#offer(readNamed(member, type, namespace, place), place);
    }
  }

  #offer(tool: OfferedTool, where: string): void {
    const { name } = tool.definition;
    const other = this.#tools.get(name);
    // A tool that is found by search again, or sent twice, is the same tool.
    if (other !== undefined && (other.kind !== tool.kind || other.namespace !== tool.namespace)) {
      throw invalidField(
        where,
        `'${where}' would be offered to the model as ${quoteShort(name)}, as another tool is; rename one of them.`,
      );
    }
    this.#tools.set(name, tool);
  }
}

function readNamed(
  tool: Fields,
  kind: "function" | "custom",
  namespace: string | undefined,
  where: string,
): OfferedTool {
  const named = { kind, name: readName(tool.name, `${where}.name`), namespace };
  const name = offeredName(named);
  const description = readOptional(tool.description, `${where}.description`, readText);
  if (kind === "function") {
    const parameters = readOptional(tool.parameters, `${where}.parameters`, readObject);
    return { ...named, definition: { name, description, parameters } };
  }
  const rule = grammarRule(tool.format, `${where}.format`);
  const texts = [description, rule].filter((text) => text !== undefined && text !== "");
  const definition = { name, description: texts.join("\n\n"), parameters: freeText };
  return { ...named, definition };
}

/** A custom tool takes text; models can only call functions. */
const freeText = {
  type: "object",
  properties: { input: { type: "string", description: "The whole input, as plain text." } },
  required: ["input"],
};

/** The model is told a tool's grammar; its text is not held to it. */
function grammarRule(value: unknown, where: string): string | undefined {
  const format = readOptional(value, where, readObject);
  const type = readOptional(format?.type, `${where}.type`, readText) ?? "text";
  if (format === undefined || type === "text") return undefined;
  if (type !== "grammar") {
    throw unsupportedField(`${where}.type`, `${quoteShort(type)} is neither text nor grammar`);
  }
  const syntax = readText(format.syntax, `${where}.syntax`);
  const definition = readText(format.definition, `${where}.definition`);
  return `The input must follow this ${syntax === "regex" ? "regular expression" : "grammar"}:\n${definition}`;
}

function readPlayed(tool: Fields, kind: PlayedKind, where: string): OfferedTool {
  const played = playedTools[kind];
  const description =
    readOptional(tool.description, `${where}.description`, readText) ?? played.description;
  const parameters =
    readOptional(tool.parameters, `${where}.parameters`, readObject) ?? played.parameters;
  return { kind, name: kind, definition: { name: kind, description, parameters } };
}

function readName(value: unknown, where: string): string {
  const name = readText(value, where);
  if (name === "") throw invalidField(where, `'${where}' must not be empty.`);
  return checkToolName(name, where);
}

/** Tools that OpenAI's servers run, by the beginnings of their types. */
const hosted = [
  "code_interpreter",
  "computer",
  "file_search",
  "image_generation",
  "mcp",
  "programmatic_tool_calling",
  "web_search",
];

/** True if only OpenAI can run a tool of this type: also a shell in one of its containers. */
export function isHosted(type: string, { environment }: Fields = {}): boolean {
  if (type === "shell" && environment !== undefined && environment !== null) {
    return readObject(environment, "environment").type !== "local";
  }
  return hosted.some((prefix) => type.startsWith(prefix));
}

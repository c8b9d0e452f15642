// Turns answer flags into the options of a request.
import { readFileSync } from "node:fs";
import { parseJson } from "../base/json.ts";
import type { AskOptions } from "../client/api-client.ts";
import { readFault, usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";

/** @throws ProductError `COMMAND_USAGE` */
export function answerOptions(flags: Flags): Pick<AskOptions, "think" | "format" | "keepAlive"> & {
  parameters: Record<string, number | string>;
} {
  return {
    ...(flags.keepalive !== undefined && { keepAlive: flags.keepalive }),
    ...(flags.think !== undefined && { think: thinkOf(flags.think) }),
    ...(flags.format !== undefined && { format: parseFormat(flags.format) }),
    parameters: { ...parametersOf(flags), ...budgetOf(flags.think) },
  };
}

/** Returns options named as in the API. */
function parametersOf({
  temperature,
  topP,
  numCtx,
  draft,
  specType,
  nCpuMoe,
  seed,
  numPredict,
}: Flags): Record<string, number | string> {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(numCtx !== undefined && { num_ctx: numCtx }),
    ...(draft !== undefined && { draft }),
    ...(specType !== undefined && { spec_type: specType }),
    ...(nCpuMoe !== undefined && { n_cpu_moe: nCpuMoe }),
    ...(seed !== undefined && { seed }),
    ...(numPredict !== undefined && { num_predict: numPredict }),
  };
}

function thinkOf(level: string): boolean | string {
  if (isBudget(level)) return level !== "0";
  return level === "true" || (level !== "false" && level);
}

/** A number as the level limits the thinking: 0 turns it off, -1 is no limit. */
function budgetOf(level = ""): Record<string, number> {
  return isBudget(level) ? { reasoning_budget: Number(level) } : {};
}

function isBudget(level: string): boolean {
  return /^-?\d+$/.test(level);
}

/** Reads `json`, a JSON schema, or the name of a file with a schema. */
function parseFormat(text: string): unknown {
  if (text === "json") return text;
  const schema = parseJson(text);
  if (isSchema(schema)) return schema;
  if (/^\s*[{[]/.test(text)) {
    throw usageError("--format is not valid JSON.", "Check the schema's quotes.");
  }
  const content = parseJson(readSchemaFile(text));
  if (isSchema(content)) return content;
  throw usageError(`--format: the file '${text}' is not a JSON schema.`, "Check its JSON.");
}

function isSchema(value: unknown): value is object {
  return value !== null && typeof value === "object";
}

function readSchemaFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw usageError(
      `--format must be json, a JSON schema or a file with one; '${file}' cannot be read: ${readFault(error)}.`,
      "Examples: --format json, --format schema.json",
    );
  }
}

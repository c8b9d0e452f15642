// Turns answer flags into the options of a request.
import { parseJson } from "../base/json.ts";
import type { AskOptions } from "../client/api-client.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";

/** @throws ProductError `COMMAND_USAGE` */
export function answerOptions(
  flags: Flags,
): Pick<AskOptions, "think" | "format" | "keepAlive"> & { parameters: Record<string, number> } {
  return {
    ...(flags.keepalive !== undefined && { keepAlive: flags.keepalive }),
    ...(flags.think !== undefined && { think: thinkOf(flags.think) }),
    ...(flags.format !== undefined && { format: parseFormat(flags.format) }),
    parameters: parametersOf(flags),
  };
}

/** Returns options named as in the API. */
function parametersOf({
  temperature,
  topP,
  numCtx,
  seed,
  numPredict,
}: Flags): Record<string, number> {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(numCtx !== undefined && { num_ctx: numCtx }),
    ...(seed !== undefined && { seed }),
    ...(numPredict !== undefined && { num_predict: numPredict }),
  };
}

function thinkOf(level: string): boolean | string {
  return level === "true" || (level !== "false" && level);
}

/** Reads `json` or a JSON schema. */
function parseFormat(text: string): unknown {
  if (text === "json") return text;
  const schema = parseJson(text);
  if (schema !== null && typeof schema === "object") return schema;
  throw usageError("--format must be json or a JSON schema.", "Check the schema's quotes.");
}

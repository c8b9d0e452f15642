// The flags that say how an answer is to be made, as a request carries them.
import type { AskOptions } from "../client/api-client.ts";
import { usageError } from "./errors.ts";
import type { Flags } from "./flags.ts";

const levels = ["low", "medium", "high", "max"];

/** @throws ProductError `COMMAND_USAGE` */
export function answerOptions(flags: Flags): Pick<AskOptions, "think" | "format" | "keepAlive"> {
  return {
    ...(flags.keepalive !== undefined && { keepAlive: flags.keepalive }),
    ...(flags.think !== undefined && { think: parseThink(flags.think) }),
    ...(flags.format !== undefined && { format: parseFormat(flags.format) }),
  };
}

function parseThink(text: string): boolean | string {
  if (text === "true" || text === "false") return text === "true";
  if (levels.includes(text)) return text;
  throw usageError(`--think=${text} is not known.`, `Use true, false, ${levels.join(", ")}.`);
}

/** `json`, or a JSON schema as it is. */
function parseFormat(text: string): unknown {
  if (text === "json") return text;
  try {
    const schema: unknown = JSON.parse(text);
    if (schema !== null && typeof schema === "object") return schema;
  } catch {
    // said below
  }
  throw usageError("--format is neither json nor a JSON schema.", "Check the schema's quotes.");
}

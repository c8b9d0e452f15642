// Checks a flag's value and converts it for the command's code.
import { parseDuration } from "../../configuration/duration.ts";
import { usageError } from "../errors.ts";
import type { Flag } from "./definition.ts";
import { didYouMean, nearest } from "./mistakes.ts";

const dayMs = 86_400_000;

/**
 * @param typed the flag as it is typed
 * @throws ProductError `COMMAND_USAGE`
 */
export function readFlagValue(typed: string, flag: Flag, text: string): string | number {
  switch (flag.type) {
    case "integer":
    case "number":
      return readNumber(typed, flag, text);
    case "time":
      return readTime(typed, text);
    default:
      return flag.values === undefined ? text : readChoice(typed, flag.values, text);
  }
}

function readChoice(typed: string, values: readonly string[], text: string): string {
  const found = values.find((value) => value.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  throw usageError(
    `${typed} does not accept '${text}'.`,
    `${didYouMean(nearest(text, values))}Use ${listed(values)}.`,
  );
}

function readNumber(typed: string, { type, least, most }: Flag, text: string): number {
  const pattern = type === "integer" ? /^-?\d{1,15}$/ : /^-?(?:\d+\.?\d*|\.\d+)$/;
  const value = pattern.test(text) ? Number(text) : Number.NaN;
  if (value >= (least ?? -Infinity) && value <= (most ?? Infinity)) return value;
  const kind = type === "integer" ? "a whole number" : "a number";
  const from =
    least === undefined
      ? ""
      : most === undefined
        ? ` of at least ${least}`
        : ` from ${least} to ${most}`;
  throw usageError(`${typed} does not accept '${text}'.`, `Use ${kind}${from}.`);
}

/** Milliseconds of `30d`, `24h`, `1h30m`, `90s`, or plain seconds. */
function readTime(typed: string, text: string): number {
  const days = /^(\d+(?:\.\d+)?)d$/.exec(text)?.[1];
  const milliseconds = days === undefined ? parseDuration(text) : Number(days) * dayMs;
  if (milliseconds !== undefined && Number.isFinite(milliseconds)) return Math.round(milliseconds);
  throw usageError(
    `${typed} does not accept '${text}'.`,
    "Use a time such as 90s, 15m, 24h or 30d, or a number of seconds.",
  );
}

function listed(values: readonly string[]): string {
  const last = values.at(-1) ?? "";
  return values.length < 2 ? last : `${values.slice(0, -1).join(", ")} or ${last}`;
}

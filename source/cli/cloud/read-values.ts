// Reads the values of deployctl's flags: counts, times, pairs.
import { parseDuration } from "../../configuration/duration.ts";
import { usageError } from "../errors.ts";

const dayMs = 86_400_000;

/**
 * Milliseconds of `30d`, `24h`, `1h30m`, `90s`, or plain seconds.
 *
 * @returns undefined for an absent flag
 * @throws ProductError `COMMAND_USAGE`
 */
export function readTime(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const days = /^(\d+(?:\.\d+)?)d$/.exec(text)?.[1];
  const milliseconds = days === undefined ? parseDuration(text) : Number(days) * dayMs;
  if (milliseconds === undefined || !Number.isFinite(milliseconds)) {
    throw usageError(
      `${flag} ${text} is no time.`,
      "Use 90s, 15m, 24h, 30d, or a number of seconds.",
    );
  }
  return Math.round(milliseconds);
}

/** The same for a span that must not be over at once. @throws ProductError `COMMAND_USAGE` */
export function readSpan(flag: string, text: string | undefined): number | undefined {
  const milliseconds = readTime(flag, text);
  if (milliseconds !== 0) return milliseconds;
  throw usageError(`${flag} ${text} would be over at once.`, "Use a time above zero.");
}

/** A whole number. @throws ProductError `COMMAND_USAGE` */
export function readCount(
  flag: string,
  text: string | undefined,
  { least = 0, most = 1_000_000 }: { least?: number; most?: number } = {},
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw usageError(
    `${flag} ${text} is no number that it may have.`,
    `Use a whole number from ${least} to ${most}.`,
  );
}

/** One of a few words. @throws ProductError `COMMAND_USAGE` */
export function readChoice<Choice extends string>(
  flag: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  if (text === undefined) return undefined;
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw usageError(`${flag} ${text} is none of its values.`, `Use ${choices.join(", ")}.`);
}

/** `on` or `off`. @throws ProductError `COMMAND_USAGE` */
export function readSwitch(flag: string, text: string | undefined): boolean | undefined {
  const found = readChoice(flag, text, ["on", "off"]);
  return found === undefined ? undefined : found === "on";
}

/** `NAME=VALUE`, several; the last of a name counts. @throws ProductError `COMMAND_USAGE` */
export function readPairs(
  flag: string,
  texts: readonly string[] | undefined,
): Record<string, string> {
  const pairs = (texts ?? []).map((text) => {
    const at = text.indexOf("=");
    if (at < 1)
      throw usageError(`${flag} ${text} has no name and value.`, `Use ${flag} NAME=VALUE.`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return Object.fromEntries(pairs);
}

/** Variables of a process. @throws ProductError `COMMAND_USAGE` */
export function readVariables(
  flag: string,
  texts: readonly string[] | undefined,
): Record<string, string> {
  const variables = readPairs(flag, texts);
  for (const name of Object.keys(variables)) refuseOwnName(checkVariableName(name));
  return variables;
}

/** Every replica gets values of its own for these; switches of the Python side are the user's. */
const ownName = /^(?:PORT|DEPLOYCTL_(?!REAL_FAL$|BIND_ANY$|MODELCTL$).*)$/;

function refuseOwnName(name: string): void {
  if (!ownName.test(name)) return;
  throw usageError(
    `${name} is given to each replica by deployctl and cannot be set.`,
    "Choose another name; a replica's port is in PORT.",
  );
}

/** @throws ProductError `COMMAND_USAGE` */
export function checkVariableName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return name;
  throw usageError(
    `'${name}' is no name of a variable.`,
    "Use letters, digits and underscores; a digit does not come first.",
  );
}

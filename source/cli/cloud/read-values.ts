// Reads arguments and flags: app names, variables, scaling.

import type { AppReference } from "../../cloud/admin/admin-client.ts";
import type { ScaleChange, TrafficShare } from "../../cloud/admin/documents.ts";
import { fitsEnvironment, inEnvironment } from "../../cloud/app-name.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "./flags.ts";
import { type Session, settingOf } from "./session.ts";

/** Variables that deployctl sets for each replica, without the switches of its Python side. */
const ownName = /^(?:PORT|DEPLOYCTL_(?!REAL_FAL$|BIND_ANY$|MODELCTL$).*)$/;

/** Reads texts of the form `NAME=VALUE`; the last one of a name wins. @throws ProductError `COMMAND_USAGE` */
export function readPairs(
  flag: string,
  texts: readonly string[] | undefined,
): Record<string, string> {
  const pairs = (texts ?? []).map((text) => {
    const at = text.indexOf("=");
    if (at < 1)
      throw usageError(`${flag} ${text} is not of the form NAME=VALUE.`, `Use ${flag} NAME=VALUE.`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return Object.fromEntries(pairs);
}

/** Reads variables for replicas. @throws ProductError `COMMAND_USAGE` */
export function readVariables(
  flag: string,
  texts: readonly string[] | undefined,
): Record<string, string> {
  const variables = readPairs(flag, texts);
  for (const name of Object.keys(variables)) refuseOwnName(checkVariableName(name));
  return variables;
}

function refuseOwnName(name: string): void {
  if (!ownName.test(name)) return;
  throw usageError(
    `${name} is set by deployctl for each replica and cannot be changed.`,
    "Choose another name; a replica's port is in PORT.",
  );
}

/** Returns undefined for anything but an http or https URL, without a query and a fragment. */
export function parseWebUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  return url !== null && isWeb && url.search === "" && url.hash === "" ? url : undefined;
}

/** @throws ProductError `COMMAND_USAGE` */
export function checkVariableName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return name;
  throw usageError(
    `'${name}' is not a variable name.`,
    "Use letters, digits and underscores, not beginning with a digit.",
  );
}

/**
 * Reads an app's name: `chat` of the default organisation, or `acme/chat`.
 *
 * @throws ProductError `COMMAND_USAGE`
 */
export function appReference(session: Session, word: string): AppReference {
  const organisation = settingOf(session, "org");
  const reference =
    word.includes("/") || organisation === undefined ? word : `${organisation}/${word}`;
  if (/^[^/\s]+(\/[^/\s]+)?$/.test(reference)) {
    return namedIn(settingOf(session, "environment"), reference);
  }
  throw usageError(`'${word}' is not an app name.`, "Use APP, or ORGANISATION/APP.");
}

/**
 * Reads a share in percent: `10` or `10%`.
 *
 * @param typed that contains it, for the error
 * @throws ProductError `COMMAND_USAGE`
 */
export function readShare(text: string, typed: string): number {
  const digits = /^\s*(\d{1,3})\s*%?\s*$/.exec(text)?.[1];
  const percent = Number(digits);
  if (digits !== undefined && percent <= 100) return percent;
  throw usageError(
    `${typed}: '${text}' is not a share.`,
    "Use a whole number of percent, such as 10.",
  );
}

/**
 * Reads the shares of revisions, such as `r7=90 r8=10`.
 *
 * @throws ProductError `COMMAND_USAGE`
 */
export function readShares(words: readonly string[]): TrafficShare[] {
  return words.map((word) => {
    const [revision = "", percent, ...rest] = word.split("=");
    if (revision !== "" && percent !== undefined && rest.length === 0) {
      return { revision, percent: readShare(percent, word) };
    }
    throw usageError(
      `'${word}' is not of the form REVISION=PERCENT.`,
      "For example: deployctl traffic set APP r7=90 r8=10",
    );
  });
}

/**
 * Returns an app's name in an environment.
 *
 * @param environment undefined leaves the name as it is
 * @throws ProductError `COMMAND_USAGE` for a name of another environment
 */
export function namedIn<Name extends string | undefined>(
  environment: string | undefined,
  name: Name,
): Name | string {
  if (environment === undefined || name === undefined) return name;
  if (fitsEnvironment(name, environment)) return inEnvironment(name, environment);
  throw usageError(`${name} is not in the environment ${environment}.`, "Use one of both.");
}

export function readScale(flags: Flags): ScaleChange {
  const values: { [Name in keyof ScaleChange]: ScaleChange[Name] | undefined } = {
    minConcurrency: flags.minConcurrency,
    maxConcurrency: flags.maxConcurrency,
    concurrencyBuffer: flags.concurrencyBuffer,
    concurrencyBufferPerc: flags.concurrencyBufferPerc,
    maxMultiplexing: flags.maxMultiplexing,
    scalingDelayMs: flags.scalingDelay,
    keepAliveMs: flags.keepAlive,
    sleepAfterMs: flags.sleepAfter,
    stopAfterMs: flags.stopAfter,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

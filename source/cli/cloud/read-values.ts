// Reads pairs and names of variables.
import { usageError } from "../errors.ts";

/** `NAME=VALUE`, several; the last of a name counts. @throws ProductError `COMMAND_USAGE` */
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

/** Variables of a process. @throws ProductError `COMMAND_USAGE` */
export function readVariables(
  flag: string,
  texts: readonly string[] | undefined,
): Record<string, string> {
  const variables = readPairs(flag, texts);
  for (const name of Object.keys(variables)) refuseOwnName(checkVariableName(name));
  return variables;
}

/** Every replica gets its own values for these; switches of the Python side are the user's. */
const ownName = /^(?:PORT|DEPLOYCTL_(?!REAL_FAL$|BIND_ANY$|MODELCTL$).*)$/;

function refuseOwnName(name: string): void {
  if (!ownName.test(name)) return;
  throw usageError(
    `${name} is set by deployctl for each replica and cannot be changed.`,
    "Choose another name; a replica's port is in PORT.",
  );
}

/** @throws ProductError `COMMAND_USAGE` */
export function checkVariableName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return name;
  throw usageError(
    `'${name}' is not a variable name.`,
    "Use letters, digits and underscores, not beginning with a digit.",
  );
}

// deployctl secrets set, list, unset: write-only variables for replicas.

import { formatRelativeTime } from "../../../base/formats.ts";
import { exitCodes } from "../../../base/product-error.ts";
import { readSecretLine } from "../../confirm.ts";
import { usageError } from "../../errors.ts";
import type { Run } from "../../program/definition.ts";
import { formatTable } from "../../table.ts";
import { printAnswer } from "../print.ts";
import { checkVariableName, readVariables } from "../read-values.ts";
import { openSession } from "../session.ts";
import { clientOf, startedClientOf } from "../target.ts";
import type {
  listSecretsDefinition,
  setSecretDefinition,
  unsetSecretDefinition,
} from "./variables.definition.ts";

/** Sets several `NAME=VALUE`, or one `NAME`, whose value is read from standard input. */
export const setSecret: Run<typeof setSecretDefinition> = async (words, flags) => {
  const [first, ...more] = words;
  if (first === undefined) {
    throw usageError("secrets set needs a secret.", "deployctl secrets set NAME=VALUE, or NAME");
  }
  const isAsked = more.length === 0 && !first.includes("=");
  const values = isAsked
    ? { [checkVariableName(first)]: await readSecretLine(`Value of ${first}: `) }
    : readVariables("secrets set", words);
  const client = await startedClientOf(openSession(flags));
  for (const [name, value] of Object.entries(values)) await client.setSecret(name, value);
  const names = Object.keys(values);
  printAnswer(flags, {
    document: { set: names },
    text: names.map((name) => `set ${name}\n`).join(""),
    names,
  });
  return exitCodes.ok;
};

export const listSecrets: Run<typeof listSecretsDefinition> = async (_words, flags) => {
  const secrets = await clientOf(openSession(flags)).secrets();
  const now = Date.now();
  const rows = secrets.map(({ name, updatedAt }) => [name, formatRelativeTime(updatedAt, now)]);
  printAnswer(flags, {
    document: { secrets },
    text: formatTable(["name", "set"], rows),
    names: secrets.map(({ name }) => name),
  });
  return exitCodes.ok;
};

export const unsetSecret: Run<typeof unsetSecretDefinition> = async ([name], flags) => {
  await clientOf(openSession(flags)).deleteSecret(name);
  printAnswer(flags, { document: { unset: [name] }, text: `unset ${name}\n`, names: [name] });
  return exitCodes.ok;
};

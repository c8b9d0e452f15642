// deployctl env list, set, unset: variables of an app's replicas, over those of its revision.
import { exitCodes } from "../../../base/product-error.ts";
import { formatRelativeTime } from "../../../base/relative-time.ts";
import { usageError } from "../../errors.ts";
import { formatTable } from "../../table.ts";
import { appReference } from "../app-reference.ts";
import type { Flags } from "../flags.ts";
import { printAnswer, tell } from "../print.ts";
import { checkVariableName, readVariables } from "../read-values.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";
import { oneWord, twoWords } from "../words.ts";

const effect =
  "Replicas that start from now on have it; deployctl apps rollout APP renews the others.";

export async function listVariables(words: string[], flags: Flags): Promise<number> {
  const session = openSession(flags);
  const app = appReference(session, oneWord("env list", "APP", words));
  const variables = await clientOf(session).variables(app);
  const now = Date.now();
  const rows = variables.map(({ name, value, updatedAt }) => [
    name,
    value,
    formatRelativeTime(updatedAt, now),
  ]);
  printAnswer(flags, {
    document: { variables },
    text: formatTable(["name", "value", "set"], rows),
    names: variables.map(({ name }) => name),
  });
  return exitCodes.ok;
}

export async function setVariables([word, ...pairs]: string[], flags: Flags): Promise<number> {
  if (word === undefined || pairs.length === 0) {
    throw usageError("env set needs an app and a variable.", "deployctl env set APP NAME=VALUE");
  }
  const session = openSession(flags);
  const app = appReference(session, word);
  const values = readVariables("env set", pairs);
  await clientOf(session).setVariables(app, values);
  const names = Object.keys(values);
  printAnswer(flags, { document: { app, set: names }, text: textOf("set", names), names });
  tell(flags, effect);
  return exitCodes.ok;
}

export async function unsetVariable(words: string[], flags: Flags): Promise<number> {
  const session = openSession(flags);
  const [word, name] = twoWords("env unset", ["APP", "NAME"], words);
  const app = appReference(session, word);
  await clientOf(session).deleteVariable(app, checkVariableName(name));
  printAnswer(flags, {
    document: { app, unset: [name] },
    text: textOf("unset", [name]),
    names: [name],
  });
  tell(flags, effect);
  return exitCodes.ok;
}

function textOf(verb: string, names: readonly string[]): string {
  return names.map((name) => `${verb} ${name}\n`).join("");
}

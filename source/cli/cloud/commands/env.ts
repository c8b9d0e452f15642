// deployctl env list, set, unset: variables of an app's replicas, overriding those of its revision.

import { formatRelativeTime } from "../../../base/formats.ts";
import { exitCodes } from "../../../base/product-error.ts";
import { usageError } from "../../errors.ts";
import type { Run } from "../../program/definition.ts";
import { formatTable } from "../../table.ts";
import { printAnswer, tell } from "../print.ts";
import { appReference, checkVariableName, readVariables } from "../read-values.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";
import type {
  listVariablesDefinition,
  setVariablesDefinition,
  unsetVariableDefinition,
} from "./variables.definition.ts";

const effect = "Applies to new replicas; run deployctl apps rollout APP to restart the others.";

export const listVariables: Run<typeof listVariablesDefinition> = async ([name], flags) => {
  const session = openSession(flags);
  const app = appReference(session, name);
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
};

export const setVariables: Run<typeof setVariablesDefinition> = async ([word, ...pairs], flags) => {
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
};

export const unsetVariable: Run<typeof unsetVariableDefinition> = async ([word, name], flags) => {
  const session = openSession(flags);
  const app = appReference(session, word);
  await clientOf(session).deleteVariable(app, checkVariableName(name));
  printAnswer(flags, {
    document: { app, unset: [name] },
    text: textOf("unset", [name]),
    names: [name],
  });
  tell(flags, effect);
  return exitCodes.ok;
};

function textOf(verb: string, names: readonly string[]): string {
  return names.map((name) => `${verb} ${name}\n`).join("");
}

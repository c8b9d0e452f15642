// deployctl secrets set, list, unset, and env list, set, unset: variables of replicas. Secrets can only be
// written; an app's own variables override those of its revision.

import { formatRelativeTime } from "../../../base/formats.ts";
import { readSecretLine } from "../../confirm.ts";
import type { Run } from "../../program/definition.ts";
import { formatTable } from "../../table.ts";
import { printAnswer, tell } from "../print.ts";
import { checkVariableName, readVariables } from "../read-values.ts";
import { openSession, settingOf } from "../session.ts";
import { clientOf, openApp, startedClientOf } from "../target.ts";
import type { variableCommands } from "./variables.definition.ts";

const effect = "Applies to new replicas; run deployctl apps rollout APP to restart the others.";

/** Sets several `NAME=VALUE`, or one `NAME`, whose value is read from standard input. */
export const setSecret: Run<typeof variableCommands.setSecret> = async (words, flags) => {
  const [first, ...more] = words;
  const isAsked = more.length === 0 && !first.includes("=");
  const values = isAsked
    ? { [checkVariableName(first)]: await readSecretLine(`Value of ${first}: `) }
    : readVariables("secrets set", words);
  const session = openSession(flags);
  const environment = settingOf(session, "environment");
  const client = await startedClientOf(session);
  for (const [name, value] of Object.entries(values))
    await client.setSecret(name, value, environment);
  const names = Object.keys(values);
  printAnswer(flags, { document: { set: names }, text: textOf("set", names), names });
};

export const listSecrets: Run<typeof variableCommands.listSecrets> = async (_words, flags) => {
  const session = openSession(flags);
  const secrets = await clientOf(session).secrets(settingOf(session, "environment"));
  const rows = secrets.map(({ name, updatedAt }) => [name, formatRelativeTime(updatedAt)]);
  printAnswer(flags, {
    document: { secrets },
    text: formatTable(["name", "set"], rows),
    names: secrets.map(({ name }) => name),
  });
};

export const unsetSecret: Run<typeof variableCommands.unsetSecret> = async ([name], flags) => {
  const session = openSession(flags);
  await clientOf(session).deleteSecret(name, settingOf(session, "environment"));
  const names = [name];
  printAnswer(flags, { document: { unset: names }, text: textOf("unset", names), names });
};

export const listVariables: Run<typeof variableCommands.listVariables> = async ([word], flags) => {
  const { client, app } = openApp(flags, word);
  const variables = await client.variables(app);
  const rows = variables.map(({ name, value, updatedAt }) => [
    name,
    value,
    formatRelativeTime(updatedAt),
  ]);
  printAnswer(flags, {
    document: { variables },
    text: formatTable(["name", "value", "set"], rows),
    names: variables.map(({ name }) => name),
  });
};

export const setVariables: Run<typeof variableCommands.setVariables> = async (words, flags) => {
  const [word, ...pairs] = words;
  const { client, app } = openApp(flags, word);
  const values = readVariables("env set", pairs);
  await client.setVariables(app, values);
  const names = Object.keys(values);
  printAnswer(flags, { document: { app, set: names }, text: textOf("set", names), names });
  tell(flags, effect);
};

export const unsetVariable: Run<typeof variableCommands.unsetVariable> = async (words, flags) => {
  const [word, name] = words;
  const { client, app } = openApp(flags, word);
  await client.deleteVariable(app, checkVariableName(name));
  const names = [name];
  printAnswer(flags, { document: { app, unset: names }, text: textOf("unset", names), names });
  tell(flags, effect);
};

function textOf(verb: string, names: readonly string[]): string {
  return names.map((name) => `${verb} ${name}\n`).join("");
}

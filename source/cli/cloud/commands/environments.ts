// deployctl environments list, create, delete, promote.
import { formatRelativeTime } from "../../../base/formats.ts";
import type { Run } from "../../program/definition.ts";
import { formatTable } from "../../table.ts";
import { printAnswer } from "../print.ts";
import { openSession } from "../session.ts";
import { clientOf, openApp, startedClientOf } from "../target.ts";
import type { environmentCommands } from "./environments.definition.ts";
import { followRollout } from "./revisions.ts";

type Commands = typeof environmentCommands;

export const listEnvironments: Run<Commands["listEnvironments"]> = async (_words, flags) => {
  const environments = await clientOf(openSession(flags)).environments();
  const rows = environments.map(({ name, apps, createdAt, description }) => [
    name,
    String(apps),
    createdAt === undefined ? "-" : formatRelativeTime(createdAt),
    description ?? "",
  ]);
  printAnswer(flags, {
    document: { environments },
    text: formatTable(["environment", "apps", "created", "description"], rows),
    names: environments.map(({ name }) => name),
  });
};

export const createEnvironment: Run<Commands["createEnvironment"]> = async ([name], flags) => {
  const client = await startedClientOf(openSession(flags));
  const document = await client.createEnvironment({ name, description: flags.description });
  printAnswer(flags, {
    document,
    text: `created ${name}; use it with --environment ${name}\n`,
    names: [name],
  });
};

export const deleteEnvironment: Run<Commands["deleteEnvironment"]> = async ([name], flags) => {
  await clientOf(openSession(flags)).deleteEnvironment(name);
  printAnswer(flags, {
    document: { environment: name, deleted: true },
    text: `deleted ${name}, with its secrets\n`,
    names: [name],
  });
};

export const promoteApp: Run<Commands["promoteApp"]> = async ([name, from, to], flags) => {
  const { client, app } = openApp({ ...flags, environment: from }, name);
  const request = { to, strategy: flags.strategy, isDetached: flags.detach, smoke: flags.smoke };
  await followRollout((signal) => client.promote(app, request, signal), flags);
};

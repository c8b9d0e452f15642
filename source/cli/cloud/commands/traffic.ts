// deployctl traffic set, promote and abort.
import type { Run } from "../../program/definition.ts";
import { printAnswer } from "../print.ts";
import { readShares } from "../read-values.ts";
import { openApp } from "../target.ts";
import { followRollout } from "./revisions.ts";
import type { trafficCommands } from "./traffic.definition.ts";

export const setTraffic: Run<typeof trafficCommands.setTraffic> = async (
  [name, ...words],
  flags,
) => {
  const shares = readShares(words);
  const { client, app } = openApp(flags, name);
  await followRollout((signal) => client.setTraffic(app, shares, signal), flags);
};

export const promoteTraffic: Run<typeof trafficCommands.promoteTraffic> = async ([name], flags) => {
  const { client, app } = openApp(flags, name);
  await followRollout((signal) => client.promoteTraffic(app, signal), flags);
};

export const abortTraffic: Run<typeof trafficCommands.abortTraffic> = async ([name], flags) => {
  const { client, app } = openApp(flags, name);
  const document = await client.abortTraffic(app);
  const { activeRevision = "none" } = document;
  printAnswer(flags, {
    document,
    text: `${app} serves ${activeRevision} only\n`,
    names: [activeRevision],
  });
};

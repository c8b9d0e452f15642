// completion and version of both programs, and modelctl's __complete.
import { packageVersion } from "../../base/package-facts.ts";
import { printCandidates } from "../program/completion-candidates.ts";
import { printCompletion } from "../program/completion-scripts.ts";
import type { Run } from "../program/definition.ts";
import type { completeCommand, sharedCommands } from "./tools.definition.ts";

export const completion: Run<typeof sharedCommands.completion> = async (
  [shell],
  _flags,
  { name },
) => printCompletion(name, shell);

export const version: Run<typeof sharedCommands.version> = async () => {
  process.stdout.write(`${packageVersion()}\n`);
};

export const complete: Run<typeof completeCommand.complete> = async (words, _flags, program) =>
  await printCandidates(program, words, async (kind) => {
    if (kind === "session") return await sessionIds();
    if (kind === "tool server") return await toolServerNames();
    return await modelNames(kind === "own model");
  });

/** Returns ids, as names may contain blanks. */
async function sessionIds(): Promise<string[]> {
  const { SessionStore } = await import("../../chat/sessions/session-store.ts");
  const { productPaths } = await import("../../configuration/paths.ts");
  const { sessions } = await new SessionStore(productPaths().state).list();
  return sessions.map(({ id }) => id);
}

/** Returns names of the built-in servers, of a person's own file, and of the project's. */
async function toolServerNames(): Promise<string[]> {
  const { findServers } = await import("../../tools/find-servers.ts");
  const { productPaths } = await import("../../configuration/paths.ts");
  const places = { ownFile: productPaths().toolServerFile, folder: process.cwd() };
  const { servers } = await findServers(places, async () => true);
  const { builtInNames } = await import("../../tools/open-servers.ts");
  return [...builtInNames, ...servers.map(({ name }) => name)];
}

/** @param ownOnly leaves out built-in models and other programs' stores */
async function modelNames(ownOnly: boolean): Promise<string[]> {
  const { openLibrary } = await import("../model-library.ts");
  const { models } = await openLibrary({}).library.catalog.listModels({ withDetails: false });
  const wanted = ownOnly ? models.filter(({ store }) => store === "modelctl") : models;
  return wanted.map(({ name }) => name);
}

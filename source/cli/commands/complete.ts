// modelctl __complete: candidates for the completion scripts.
import type { Run } from "../program/definition.ts";
import { printCandidates } from "../program/print-completion.ts";
import type { completeDefinition } from "./completion.definition.ts";

export const complete: Run<typeof completeDefinition> = async (words, _flags, program) =>
  await printCandidates(program, words, (kind) =>
    kind === "session" ? sessionIds() : modelNames(kind === "own model"),
  );

/** Names may contain blanks, so shells complete the numbers. */
async function sessionIds(): Promise<string[]> {
  const { SessionStore } = await import("../../application/chat-sessions.ts");
  const { productPaths } = await import("../../configuration/paths.ts");
  const { sessions } = await new SessionStore(productPaths().state).list();
  return sessions.map(({ id }) => id);
}

/** @param ownOnly without the built-in ones and those of other programs' stores */
async function modelNames(ownOnly: boolean): Promise<string[]> {
  const { openLibrary } = await import("../model-library.ts");
  const { models } = await openLibrary({}).library.catalog.listModels({ withDetails: false });
  const wanted = ownOnly ? models.filter(({ store }) => store === "modelctl") : models;
  return wanted.map(({ name }) => name);
}

// deployctl completion and __complete: a script for a shell, and what that script asks.

import { printCandidates, printCompletion } from "../../print-completion.ts";
import type { FlagTable, NameKind, Program } from "../../program.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";

export async function completion(words: string[]): Promise<number> {
  return printCompletion("deployctl", words);
}

export async function complete<Table extends FlagTable>(
  words: string[],
  _flags: unknown,
  program: Program<Table>,
): Promise<number> {
  return await printCandidates(program, words, namesOf);
}

/** Of the server that runs: completion starts none. */
async function namesOf(kind: NameKind): Promise<readonly string[]> {
  const session = openSession({});
  if (kind === "profile") return Object.keys(session.profiles.profiles);
  const client = clientOf(session);
  switch (kind) {
    case "app":
      return (await client.apps()).map(({ app }) => app);
    case "replica":
      return (await client.replicas()).map(({ replica }) => replica);
    case "key":
      return (await client.keys()).map(({ id }) => id);
    case "secret":
      return (await client.secrets()).map(({ name }) => name);
    default:
      return [];
  }
}

// deployctl __complete: candidates for what the completion scripts ask.
import type { completeCommand } from "../../commands/tools.definition.ts";
import { printCandidates } from "../../program/completion-candidates.ts";
import type { NameKind, Run } from "../../program/definition.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";

export const complete: Run<typeof completeCommand.complete> = async (words, _flags, program) =>
  await printCandidates(program, words, namesOf);

/** Asks the running server; completion starts none. */
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

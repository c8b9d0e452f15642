// deployctl __complete: candidates for what the completion scripts ask.
import { environmentOf } from "../../../cloud/app-name.ts";
import type { completeCommand } from "../../commands/tools.definition.ts";
import { printCandidates } from "../../program/completion-candidates.ts";
import type { NameKind, Run } from "../../program/definition.ts";
import type { Flags } from "../flags.ts";
import { openSession, settingOf } from "../session.ts";
import { clientOf } from "../target.ts";

export const complete: Run<typeof completeCommand.complete> = async (words, _flags, program) =>
  await printCandidates(program, words, namesOf);

/** Flags that decide which names there are. */
const placeFlags = ["profile", "server", "key", "ca", "environment", "stateDir"] as const;

/** Asks the running server; completion starts none. */
async function namesOf(
  kind: NameKind,
  given: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const flags: Pick<Flags, (typeof placeFlags)[number]> = Object.fromEntries(
    placeFlags.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
  const session = openSession(flags);
  const environment = settingOf(session, "environment");
  if (kind === "profile") return Object.keys(session.profiles.profiles);
  const client = clientOf(session);
  switch (kind) {
    case "app":
      return (await client.apps())
        .map(({ app }) => app)
        .filter((app) => environment === undefined || environmentOf(app) === environment);
    case "replica":
      return (await client.replicas()).map(({ replica }) => replica);
    case "key":
      return (await client.keys()).map(({ id }) => id);
    case "secret":
      return (await client.secrets(environment)).map(({ name }) => name);
    case "environment":
      return (await client.environments()).map(({ name }) => name);
    default:
      return [];
  }
}

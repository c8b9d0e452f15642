// deployctl runners list, stop, kill, logs, exec: the processes that run apps.
import { exitCodes, ProductError } from "../../../base/product-error.ts";
import type { ReplicaDocument } from "../../../cloud/admin/documents.ts";
import { cloudErrors } from "../../../cloud/errors.ts";
import { usageError } from "../../errors.ts";
import type { Flags } from "../flags.ts";
import { printAnswer } from "../print.ts";
import { printLogs } from "../print-logs.ts";
import { printReplicas } from "../replica-table.ts";
import { openSession, type Session, settingOf } from "../session.ts";
import { clientOf } from "../target.ts";
import { noWords, oneWord } from "../words.ts";

export async function listRunners(words: string[], flags: Flags): Promise<number> {
  noWords("runners list", words);
  printReplicas(flags, await clientOf(openSession(flags)).replicas());
  return exitCodes.ok;
}

export async function stopRunner(words: string[], flags: Flags): Promise<number> {
  const replica = oneWord("runners stop", "ID", words);
  await clientOf(openSession(flags)).stopReplica(replica, { replace: flags.replace === true });
  printAnswer(flags, {
    document: { runner: replica, stopping: true },
    text: `${replica} finishes its requests, then ends\n`,
    names: [replica],
  });
  return exitCodes.ok;
}

export async function killRunner(words: string[], flags: Flags): Promise<number> {
  const replica = oneWord("runners kill", "ID", words);
  await clientOf(openSession(flags)).killReplica(replica);
  printAnswer(flags, {
    document: { runner: replica, killed: true },
    text: `${replica} was killed\n`,
    names: [replica],
  });
  return exitCodes.ok;
}

export async function runnerLogs(words: string[], flags: Flags): Promise<number> {
  const session = openSession(flags);
  const replica = await replicaNamed(session, oneWord("runners logs", "ID", words));
  const app = `${replica.organisation}/${replica.app}`;
  return await printLogs(clientOf(session), app, { ...flags, replica: replica.replica });
}

/** Only on the machine where the replica runs: the command gets its variables and its folder. */
export async function execRunner([id, ...command]: string[], flags: Flags): Promise<number> {
  const [program, ...args] = command;
  if (id === undefined || program === undefined) {
    throw usageError("runners exec needs an ID and a command.", "runners exec ID -- env");
  }
  const session = openSession(flags);
  const replica = await replicaNamed(session, id);
  if (settingOf(session, "server") !== undefined) {
    throw new ProductError(cloudErrors.conflict, {
      message: "A command runs only on the machine of its replica.",
      hint: "Call deployctl there, without --server.",
    });
  }
  const { runBesideReplica } = await import("../../../application/beside-replica.ts");
  return await runBesideReplica(replica, program, args);
}

async function replicaNamed(session: Session, id: string): Promise<ReplicaDocument> {
  const found = (await clientOf(session).replicas()).find(({ replica }) => replica === id);
  if (found !== undefined) return found;
  throw new ProductError(cloudErrors.replicaUnknown, {
    message: `There is no runner '${id}'.`,
    hint: "deployctl runners list shows them.",
  });
}

// deployctl down: ends this machine's control plane, with its replicas.
import { setTimeout as wait } from "node:timers/promises";
import { findControlPlane } from "../../../application/control-plane-process.ts";
import { exitCodes, ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../../cloud/errors.ts";
import type { Flags } from "../flags.ts";
import { printAnswer, tell } from "../print.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";
import { noWords } from "../words.ts";

const pollMs = 50;
/** Longer than any drain that the control plane grants. */
const limitMs = 15 * 60_000;

export async function down(words: string[], flags: Flags): Promise<number> {
  noWords("down", words);
  const session = openSession(flags);
  const { server: _named, ...settings } = session.settings;
  const running = await findControlPlane(session.stateFolder);
  if (running === undefined) {
    printAnswer(flags, { document: { stopped: false }, text: "No control plane runs.\n" });
    return exitCodes.ok;
  }
  const keepReplicas = flags.keepReplicas === true;
  await clientOf({ ...session, settings }).stop({ drain: flags.force !== true, keepReplicas });
  if (running.replicas > 0) tell(flags, "Waiting for running requests…");
  const deadline = performance.now() + limitMs;
  while ((await findControlPlane(session.stateFolder)) !== undefined) {
    if (performance.now() > deadline) throw stillThere(running.processId);
    await wait(pollMs);
  }
  printAnswer(flags, {
    document: { stopped: true, keptReplicas: keepReplicas },
    text: keepReplicas
      ? "The control plane has ended; its replicas run on until it takes them up again.\n"
      : "The control plane has ended, and its replicas with it.\n",
  });
  return exitCodes.ok;
}

function stillThere(processId: number): ProductError {
  return new ProductError(cloudErrors.conflict, {
    message: `The control plane (process ${processId}) has not ended.`,
    hint: "deployctl down --force does not wait for requests.",
  });
}

// deployctl down: stops this machine's control plane, with its replicas.
import {
  drainMs,
  findControlPlane,
  stopControlPlane,
} from "../../../application/control-plane-process.ts";
import { exitCodes } from "../../../base/product-error.ts";
import type { Run } from "../../program/definition.ts";
import { printAnswer, tell } from "../print.ts";
import { openSession } from "../session.ts";
import type { downDefinition } from "./server.definition.ts";

const grace = `Waiting up to ${drainMs / 1000} s for running requests;`;

export const down: Run<typeof downDefinition> = async (_words, flags) => {
  const { stateFolder } = openSession(flags);
  const keepReplicas = flags.keepReplicas === true;
  const drain = flags.force !== true;
  const isBusy = ((await findControlPlane(stateFolder))?.replicas ?? 0) > 0;
  if (isBusy && drain && !keepReplicas) {
    tell(flags, `${grace} use deployctl down --force to cancel them.`);
  }
  const stopped = await stopControlPlane(stateFolder, { drain, keepReplicas });
  printAnswer(flags, {
    document: stopped ? { stopped, keptReplicas: keepReplicas } : { stopped },
    text: stopped ? endText(keepReplicas) : "No control plane is running on this machine.\n",
  });
  return exitCodes.ok;
};

function endText(keepReplicas: boolean): string {
  return keepReplicas
    ? "The control plane has stopped; its replicas keep running for the next one.\n"
    : "The control plane and its replicas have stopped.\n";
}

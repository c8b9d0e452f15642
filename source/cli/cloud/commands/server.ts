// deployctl up, down, status: this machine's control plane and gateway, or the state of another server.
import {
  drainMs,
  findControlPlane,
  stopCloudServer,
} from "../../../application/cloud-host/cloud-server.ts";
import { formatRoughDuration } from "../../../base/formats.ts";
import { exitCodes } from "../../../base/product-error.ts";
import type { ServerProcess, ServerStatus } from "../../../cloud/admin/documents.ts";
import { removedSettingsOf } from "../../../configuration/cloud-profiles.ts";
import { warn } from "../../output.ts";
import type { Run } from "../../program/definition.ts";
import { formatLabels } from "../../table.ts";
import { serverFlags } from "../flags.ts";
import { printAnswer, tell } from "../print.ts";
import { openSession } from "../session.ts";
import { clientOf, ensureCloudServer } from "../target.ts";
import type { serverCommands } from "./server.definition.ts";

const grace = `Waiting up to ${drainMs / 1000} s for running requests;`;
const startFlags = Object.keys(serverFlags) as (keyof typeof serverFlags)[];

export const up: Run<typeof serverCommands.up> = async (_words, flags) => {
  const session = openSession(flags);
  if (flags.foreground) {
    const { serve } = await import("../serve.ts");
    return await serve(session);
  }
  for (const name of removedSettingsOf(session.profileFile, session.profileName, process.env)) {
    warn(`The setting ${name} no longer exists and is ignored: one gateway process serves all.`);
  }
  const { server: _named, ...settings } = session.settings;
  const own = { ...session, settings };
  const found = await findControlPlane(session.stateFolder);
  const wasRunning = found !== undefined && found.isStopping !== true;
  if (wasRunning && startFlags.some((flag) => flags[flag] !== undefined)) {
    warn("Already running with its own settings; stop it with deployctl down.");
  }
  const hasStarted = await ensureCloudServer(own);
  const status = await clientOf(own).status();
  printAnswer(flags, {
    document: { ...status, started: !wasRunning },
    text: hasStarted ? statusText(status) : `Already running.\n${statusText(status)}`,
    names: [status.baseUrl],
  });
  return exitCodes.ok;
};

export const down: Run<typeof serverCommands.down> = async (_words, flags) => {
  const { stateFolder } = openSession(flags);
  const keepReplicas = flags.keepReplicas === true;
  const drain = flags.force !== true;
  const isBusy = ((await findControlPlane(stateFolder))?.replicas ?? 0) > 0;
  if (isBusy && drain && !keepReplicas) {
    tell(flags, `${grace} use deployctl down --force to cancel them.`);
  }
  const stopped = await stopCloudServer(stateFolder, { drain, keepReplicas });
  printAnswer(flags, {
    document: stopped ? { stopped, keptReplicas: keepReplicas } : { stopped },
    text: stopped ? endText(keepReplicas) : "No control plane is running on this machine.\n",
  });
};

function endText(keepReplicas: boolean): string {
  return keepReplicas
    ? "The control plane has stopped; its replicas keep running for the next one.\n"
    : "The control plane and its replicas have stopped.\n";
}

export const status: Run<typeof serverCommands.status> = async (_words, flags) => {
  const document = await clientOf(openSession(flags)).status();
  printAnswer(flags, { document, text: statusText(document), names: [document.baseUrl] });
};

export function statusText(status: ServerStatus, nowMs: number = Date.now()): string {
  const { baseUrl, organisation, gateway, engine, apps, replicas, processId, startedAt } = status;
  const labelWidth = status.controlPlane === undefined ? 9 : 17;
  const rows: [string, string][] = [
    ["URL", `${baseUrl}/${organisation}/APP`],
    ["Gateway", gateway],
    ["Engine", engine],
    ["Apps", `${apps}, with ${replicas} replica${replicas === 1 ? "" : "s"}`],
    ["Since", `${formatRoughDuration(nowMs - startedAt).toLowerCase()} (process ${processId})`],
    ["Version", status.version],
    ...processRows(status),
  ];
  const state = `The control plane is ${stateOf(status)}.`;
  const head = status.problem === undefined ? state : `${state}\nProblem: ${status.problem}`;
  return `${head}\n\n${formatLabels(rows, labelWidth, "  ")}`;
}

/** Returns a row for each process of a supervised server. */
function processRows({
  supervisor,
  gatewayProcess,
  controlPlane,
}: ServerStatus): [string, string][] {
  if (controlPlane === undefined) return [];
  return [
    ["Supervisor", supervisor === undefined ? "not running; run deployctl up" : textOf(supervisor)],
    ["Gateway process", gatewayProcess === undefined ? "not running" : textOf(gatewayProcess)],
    ["Control plane", textOf(controlPlane)],
  ];
}

function textOf({ pid, restarts, lastExit }: ServerProcess): string {
  if (restarts === 0) return `process ${pid}`;
  const count = restarts === 1 ? "1 restart" : `${restarts} restarts`;
  return `process ${pid}, ${count}${lastExit === undefined ? "" : ` (last exit: ${lastExit})`}`;
}

function stateOf({ isReady, isStopping }: ServerStatus): string {
  if (isStopping) return "stopping: waiting for running requests";
  return isReady ? "ready" : "starting";
}

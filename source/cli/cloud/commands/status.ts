// deployctl status: the state of the server.

import { formatRoughDuration } from "../../../base/formats.ts";
import { exitCodes } from "../../../base/product-error.ts";
import type { ServerProcess, ServerStatus } from "../../../cloud/admin/documents.ts";
import type { Run } from "../../program/definition.ts";
import { formatLabels } from "../../table.ts";
import { printAnswer } from "../print.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";
import type { statusDefinition } from "./server.definition.ts";

export const status: Run<typeof statusDefinition> = async (_words, flags) => {
  const document = await clientOf(openSession(flags)).status();
  printAnswer(flags, { document, text: statusText(document), names: [document.baseUrl] });
  return exitCodes.ok;
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
  gateways = [],
  controlPlane,
}: ServerStatus): [string, string][] {
  if (controlPlane === undefined) return [];
  return [
    ["Supervisor", supervisor === undefined ? "not running; run deployctl up" : textOf(supervisor)],
    ...gateways.map((gateway): [string, string] => ["Gateway process", textOf(gateway)]),
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

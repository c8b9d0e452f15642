// A server's state as up and status print it.
import { formatRoughDuration } from "../../base/relative-time.ts";
import type { ServerProcess, ServerStatus } from "../../cloud/admin/documents.ts";

export function statusText(status: ServerStatus, nowMs: number = Date.now()): string {
  const { baseUrl, organisation, gateway, engine, apps, replicas, processId, startedAt } = status;
  const labelWidth = status.controlPlane === undefined ? 9 : 17;
  const rows = [
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
  return `${head}\n\n${rows.map(([label = "", text = ""]) => `  ${label.padEnd(labelWidth)}${text}\n`).join("")}`;
}

/** Rows of a supervised server, one for each process. */
function processRows({ supervisor, gateways = [], controlPlane }: ServerStatus): string[][] {
  if (controlPlane === undefined) return [];
  return [
    ["Supervisor", supervisor === undefined ? "not running; run deployctl up" : textOf(supervisor)],
    ...gateways.map((gateway) => ["Gateway process", textOf(gateway)]),
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

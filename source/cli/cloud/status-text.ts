// A server's state as up and status print it.
import { formatRoughDuration } from "../../base/relative-time.ts";
import type { ServerStatus } from "../../cloud/admin/documents.ts";

export function statusText(status: ServerStatus, nowMs: number = Date.now()): string {
  const { baseUrl, organisation, gateway, engine, apps, replicas, processId, startedAt } = status;
  const rows = [
    ["URL", `${baseUrl}/${organisation}/APP`],
    ["Gateway", gateway],
    ["Engine", engine],
    ["Apps", `${apps}, with ${replicas} replica${replicas === 1 ? "" : "s"}`],
    ["Since", `${formatRoughDuration(nowMs - startedAt).toLowerCase()} (process ${processId})`],
    ["Version", status.version],
  ];
  const state = `The control plane is ${stateOf(status)}.`;
  const head = status.problem === undefined ? state : `${state}\nProblem: ${status.problem}`;
  return `${head}\n\n${rows.map(([label = "", text = ""]) => `  ${label.padEnd(9)}${text}\n`).join("")}`;
}

function stateOf({ isReady, isStopping }: ServerStatus): string {
  if (isStopping) return "stopping: waiting for running requests";
  return isReady ? "ready" : "starting";
}

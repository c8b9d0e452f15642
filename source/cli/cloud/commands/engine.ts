// deployctl engine use, status: the engine that runs replicas of this machine's server.
import path from "node:path";
import type { EngineReport } from "../../../application/engine-choice.ts";
import { exitCodes } from "../../../base/product-error.ts";
import { usageError } from "../../errors.ts";
import type { CommandFlags, Run } from "../../program/definition.ts";
import { formatTable } from "../../table.ts";
import { printAnswer } from "../print.ts";
import { openSession } from "../session.ts";
import type { showEngineDefinition, useEngineDefinition } from "./engine.definition.ts";

const usualProxyPort = 8000;

export const useEngine: Run<typeof useEngineDefinition> = async ([engine], flags) => {
  const { stateFolder } = openSession(flags);
  const { chooseProcesses, chooseRay } = await import("../../../application/engine-choice.ts");
  const isRay = engine === "ray";
  if (!isRay && engine !== "process") {
    throw usageError(`There is no engine '${engine}'.`, "Use process or ray.");
  }
  const report = isRay
    ? await chooseRay(stateFolder, readRay(flags))
    : await chooseProcesses(stateFolder);
  const next = "The server uses it from its next start on: deployctl up\n";
  printAnswer(flags, {
    document: report,
    text: `${engineText(report)}${next}`,
    names: [report.engine],
  });
  return exitCodes.ok;
};

export const showEngine: Run<typeof showEngineDefinition> = async (_words, flags) => {
  const { examineEngine } = await import("../../../application/engine-choice.ts");
  const report = await examineEngine(openSession(flags).stateFolder);
  printAnswer(flags, { document: report, text: engineText(report), names: [report.engine] });
  return exitCodes.ok;
};

function readRay(flags: CommandFlags<typeof useEngineDefinition>) {
  const { address = "", tokenFile, proxyPort = usualProxyPort, allowOpenCluster = false } = flags;
  const url = URL.parse(address);
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (url === null || !isHttp || url.search !== "" || url.hash !== "" || url.username !== "") {
    throw usageError(
      address === ""
        ? "engine use ray needs --address."
        : `--address ${address} is not a web address.`,
      "Use the dashboard of the head node, such as http://10.0.0.5:8265.",
    );
  }
  if (tokenFile === undefined && !allowOpenCluster) {
    throw usageError("engine use ray needs --token-file.", "Name the file with RAY_AUTH_TOKEN.");
  }
  return {
    address: url.href.replace(/\/+$/, ""),
    ...(tokenFile !== undefined && { tokenFile: path.resolve(tokenFile) }),
    proxyPort,
    allowsOpenCluster: allowOpenCluster,
  };
}

function engineText(report: EngineReport): string {
  if (report.engine === "process") return "Replicas run as processes of this machine.\n";
  const { address, version, proxyPort, replicas, otherApplications, nodes } = report;
  const others = otherApplications === 0 ? "" : `, beside ${otherApplications} of others`;
  const rows = nodes.map(({ name, isHead, resources, free }) => {
    return [name, isHead ? "head" : "worker", resources, free];
  });
  return `Replicas run on the Ray cluster at ${address} (Ray ${version}, Serve on port ${proxyPort}).
${replicas} Serve application${replicas === 1 ? "" : "s"} of this server${others}.

${formatTable(["node", "role", "resources", "free"], rows)}`;
}

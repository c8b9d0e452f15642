// deployctl engine use, status, manifest: the engine that runs replicas of this machine's server.
import path from "node:path";
import type { EngineReport } from "../../../application/cloud-host/engine-choice.ts";
import {
  type ClusterShape,
  kubernetesManifest,
  rayVersion,
  slurmScript,
} from "../../../cloud/engines/ray/manifest.ts";
import { usageError } from "../../errors.ts";
import type { CommandFlags, Run } from "../../program/definition.ts";
import { formatTable } from "../../table.ts";
import { printAnswer } from "../print.ts";
import { parseWebUrl } from "../read-values.ts";
import { openSession } from "../session.ts";
import type { engineCommands } from "./engine.definition.ts";

const usualProxyPort = 8000;
/** Names that Kubernetes takes, which are also safe in a shell and a file's name. */
const namePattern = /^[a-z]([a-z0-9-]{0,48}[a-z0-9])?$/;

export const useEngine: Run<typeof engineCommands.useEngine> = async ([engine], flags) => {
  const { stateFolder } = openSession(flags);
  const { chooseProcesses, chooseRay } = await import(
    "../../../application/cloud-host/engine-choice.ts"
  );
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
};

export const showEngine: Run<typeof engineCommands.showEngine> = async (_words, flags) => {
  const { examineEngine } = await import("../../../application/cloud-host/engine-choice.ts");
  const report = await examineEngine(openSession(flags).stateFolder);
  printAnswer(flags, { document: report, text: engineText(report), names: [report.engine] });
};

function readRay(flags: CommandFlags<typeof engineCommands.useEngine>) {
  const { address = "", tokenFile, proxyPort = usualProxyPort, allowOpenCluster = false } = flags;
  const url = parseWebUrl(address);
  if (url === undefined || url.username !== "") {
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

export const engineManifest: Run<typeof engineCommands.engineManifest> = async (_words, flags) => {
  const text = manifestText(flags);
  printAnswer({ ...flags, quiet: false }, { document: { manifest: text }, text });
};

/** @throws ProductError `COMMAND_USAGE` */
export function manifestText(flags: CommandFlags<typeof engineCommands.engineManifest>): string {
  const { kubernetes = false, slurm = false, name = "deployctl-ray", image } = flags;
  if (kubernetes === slurm) {
    throw usageError("engine manifest needs either --kubernetes or --slurm.", "Choose one.");
  }
  if (!namePattern.test(name)) {
    throw usageError(
      `Invalid name '${name}'.`,
      "Use up to 50 lower-case letters, digits and hyphens, starting with a letter.",
    );
  }
  if (slurm && image !== undefined) {
    throw usageError("--image is for Kubernetes only.", "Install Ray on the machines of Slurm.");
  }
  const shape: ClusterShape = {
    name,
    nodes: flags.nodes ?? 2,
    cpusPerNode: flags.cpus ?? 8,
    memoryGiBPerNode: flags.memory ?? 32,
    gpusPerNode: flags.gpus ?? 0,
  };
  if (slurm) return slurmScript(shape);
  return kubernetesManifest({ ...shape, image: image ?? `rayproject/ray:${rayVersion}` });
}

// Definitions of deployctl engine use, status, manifest: arguments, flags, help.
import type { CommandTable } from "../../program/definition.ts";
import { withCommonFlags } from "../flags.ts";

export const engineCommands = withCommonFlags({
  useEngine: {
    name: "engine use",
    words: "ENGINE",
    completes: ["process", "ray"],
    summary: "Run replicas as processes of this machine, or on a Ray cluster",
    details:
      "The cluster is checked first. The choice holds from the server's next start on; the server must not be running.",
    flags: {
      address: {
        type: "string",
        value: "URL",
        text: "Dashboard of the cluster, such as http://10.0.0.5:8265",
      },
      tokenFile: { type: "string", value: "FILE", text: "File with the cluster's token" },
      proxyPort: {
        type: "integer",
        value: "PORT",
        text: "Port of Ray Serve on the head node; default 8000",
        least: 1,
        most: 65_535,
      },
      allowOpenCluster: {
        type: "boolean",
        text: "Accept a cluster without a token, on which anyone can run programs",
      },
    },
    examples: [
      "engine use ray --address http://10.0.0.5:8265 --token-file ray.token",
      "engine use process",
    ],
    exitCodes: {
      4: "Token refused, or not needed",
      5: "The server is running, or the cluster is unsuitable",
      8: "Cluster unreachable",
    },
    docs: "docs/deployctl.md",
  },
  showEngine: {
    name: "engine status",
    summary: "Show the engine, and the nodes of its cluster",
    examples: ["engine status", "engine status --json"],
    exitCodes: { 8: "Cluster unreachable" },
    docs: "docs/deployctl.md",
  },
  engineManifest: {
    name: "engine manifest",
    summary: "Print a manifest that starts a Ray cluster",
    flags: {
      kubernetes: { type: "boolean", text: "A RayCluster for KubeRay" },
      slurm: { type: "boolean", text: "A batch script for sbatch" },
      name: { type: "string", value: "NAME", text: "Name of the cluster; default: deployctl-ray" },
      nodes: { type: "integer", text: "Machines for replicas; default: 2", least: 1 },
      cpus: { type: "integer", text: "CPUs of each; default: 8", least: 1 },
      memory: {
        type: "integer",
        value: "GIB",
        text: "GiB of memory of each; default: 32",
        least: 1,
      },
      gpus: { type: "integer", text: "GPUs of each; default: 0", least: 0 },
      image: { type: "string", value: "IMAGE", text: "Image of the pods, with Ray (Kubernetes)" },
    },
    examples: ["engine manifest --kubernetes --gpus 1", "engine manifest --slurm --nodes 4"],
    docs: "docs/kubernetes-and-slurm.md",
  },
} as const satisfies CommandTable);

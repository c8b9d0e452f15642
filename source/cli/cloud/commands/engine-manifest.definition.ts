// Definition of deployctl engine manifest: arguments, flags, help.
import type { CommandDefinition } from "../../program/definition.ts";
import { commonFlags } from "../flags.ts";

export const engineManifestDefinition = {
  name: "engine manifest",
  words: "",
  summary: "Print a manifest that starts a Ray cluster",
  flags: {
    kubernetes: { type: "boolean", text: "A RayCluster for KubeRay" },
    slurm: { type: "boolean", text: "A batch script for sbatch" },
    name: { type: "string", value: "NAME", text: "Name of the cluster; default: deployctl-ray" },
    nodes: { type: "integer", value: "N", text: "Machines for replicas; default: 2", least: 1 },
    cpus: { type: "integer", value: "N", text: "CPUs of each; default: 8", least: 1 },
    memory: { type: "integer", value: "GIB", text: "GiB of memory of each; default: 32", least: 1 },
    gpus: { type: "integer", value: "N", text: "GPUs of each; default: 0", least: 0 },
    image: { type: "string", value: "IMAGE", text: "Image of the pods, with Ray (Kubernetes)" },
    ...commonFlags,
  },
  examples: ["engine manifest --kubernetes --gpus 1", "engine manifest --slurm --nodes 4"],
  docs: "docs/kubernetes-and-slurm.md",
} as const satisfies CommandDefinition;

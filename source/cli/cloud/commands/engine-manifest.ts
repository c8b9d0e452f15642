// deployctl engine manifest: a Ray cluster on Kubernetes or Slurm.
import { exitCodes } from "../../../base/product-error.ts";
import {
  type ClusterShape,
  kubernetesManifest,
  rayVersion,
  slurmScript,
} from "../../../cloud/engines/ray/manifest.ts";
import { usageError } from "../../errors.ts";
import type { CommandFlags, Run } from "../../program/definition.ts";
import { printAnswer } from "../print.ts";
import type { engineManifestDefinition } from "./engine.definition.ts";

/** Names that Kubernetes takes, which are also safe in a shell and a file's name. */
const namePattern = /^[a-z]([a-z0-9-]{0,48}[a-z0-9])?$/;

export const engineManifest: Run<typeof engineManifestDefinition> = async (_words, flags) => {
  const text = manifestText(flags);
  printAnswer({ ...flags, quiet: false }, { document: { manifest: text }, text });
  return exitCodes.ok;
};

/** @throws ProductError `COMMAND_USAGE` */
export function manifestText(flags: CommandFlags<typeof engineManifestDefinition>): string {
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

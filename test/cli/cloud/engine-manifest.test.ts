// deployctl engine manifest: what it prints, and which flags do not go together.
import { expect, test } from "vitest";
import { manifestText } from "../../../source/cli/cloud/commands/engine.ts";

test("prints a RayCluster or a batch script of the shape that was asked for", () => {
  const cluster = manifestText({ kubernetes: true, nodes: 5, image: "registry.example/ray:1" });
  expect(cluster).toContain("kind: RayCluster\n");
  expect(cluster).toContain("replicas: 5\n");
  expect(cluster).toContain("image: registry.example/ray:1\n");
  expect(manifestText({ slurm: true, gpus: 4 })).toContain("\n#SBATCH --gpus-per-node=4\n");
});

test.each([
  ["neither kind", {}, /either --kubernetes or --slurm/],
  ["both kinds", { kubernetes: true, slurm: true }, /either --kubernetes or --slurm/],
  ["a name for a shell", { slurm: true, name: "$(id)" }, /Invalid name/],
  ["an image for Slurm", { slurm: true, image: "ray" }, /for Kubernetes only/],
])("refuses %s", (_what, flags, message) => {
  expect(() => manifestText(flags)).toThrow(message);
});

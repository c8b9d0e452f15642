// Manifests of a Ray cluster, checked with KubeRay's own schema and with bash.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  kubernetesManifest,
  rayCluster,
  slurmScript,
} from "../../../../source/cloud/engines/ray/manifest.ts";
import { repositoryFolder } from "../../../support/command-line.ts";

const fixtures = path.join(repositoryFolder, "test/fixtures/cloud/kuberay");
const shape = { name: "ray", nodes: 3, cpusPerNode: 16, memoryGiBPerNode: 64, gpusPerNode: 2 };

/** The part of a schema's language that KubeRay's uses for what the manifest has. */
interface Schema {
  type?: string;
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  items?: Schema;
  "x-kubernetes-int-or-string"?: boolean;
}

/** Compiling the whole schema would take seconds; this reads what the manifest has of it. */
function problems(value: unknown, schema: Schema, at = ""): string[] {
  if (schema["x-kubernetes-int-or-string"]) {
    return ["number", "string"].includes(typeof value) ? [] : [`${at}: neither`];
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${at}: not one of these`];
  if (Array.isArray(value)) {
    const { type, items } = schema;
    if (type !== "array" || items === undefined) return [`${at}: a list`];
    return value.flatMap((item, index) => problems(item, items, `${at}[${index}]`));
  }
  if (typeof value === "object" && value !== null) {
    if (schema.type !== "object") return [`${at}: an object`];
    const absent = (schema.required ?? []).filter((name) => !(name in value));
    const inside = Object.entries(value).flatMap(([name, item]) => {
      const of = schema.properties?.[name] ?? schema.additionalProperties;
      return of === undefined ? [`${at}.${name}: unknown`] : problems(item, of, `${at}.${name}`);
    });
    return [...absent.map((name) => `${at}.${name}: absent`), ...inside];
  }
  const type = Number.isInteger(value) ? "integer" : typeof value;
  return type === schema.type ? [] : [`${at}: ${type}`];
}

test("the RayCluster fits KubeRay's schema", () => {
  const file = path.join(fixtures, "ray.io_rayclusters.json.gz");
  const definition = JSON.parse(gunzipSync(readFileSync(file)).toString()) as {
    spec: { versions: { name: string; schema: { openAPIV3Schema: Schema } }[] };
  };
  const version = definition.spec.versions.find(({ name }) => name === "v1");
  const { spec } = version?.schema.openAPIV3Schema.properties ?? {};
  const cluster = Object(rayCluster({ ...shape, image: "rayproject/ray" }));
  expect(problems(cluster.spec, spec ?? {})).toEqual([]);
  expect(problems({ ...cluster.spec, rayVersoin: "2", rayVersion: 2 }, spec ?? {})).toEqual([
    ".rayVersion: integer",
    ".rayVersoin: unknown",
  ]);
});

test("the manifest is YAML with the shape's resources", () => {
  const text = kubernetesManifest({ ...shape, name: "no", image: "registry.example/ray:1" });
  // Kubernetes would read a bare `no` as false.
  expect(text).toMatch(/^apiVersion: ray.io\/v1\nkind: RayCluster\nmetadata:\n {2}name: "no"\n/);
  expect(text).toContain(`
          containers:
            - name: ray-worker
              image: registry.example/ray:1
              resources:
                limits:
                  cpu: "16"
                  memory: 64Gi
                  nvidia.com/gpu: "2"
`);
});

test("the batch script is valid bash", () => {
  const script = slurmScript({ ...shape, gpusPerNode: 0 });
  execFileSync("bash", ["-n"], { input: script });
  expect(script).toContain("\n#SBATCH --nodes=3\n");
  expect(script).not.toContain("--gpus-per-node");
  expect(slurmScript(shape)).toContain("\n#SBATCH --gpus-per-node=2\n");
});

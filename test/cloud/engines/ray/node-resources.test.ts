// Room on the nodes of a cluster, and the resources that Ray is asked for.
import { describe, expect, it } from "vitest";
import type { NodeNeed } from "../../../../source/cloud/engines/machine-types.ts";
import { nodeNeedOf } from "../../../../source/cloud/engines/machine-types.ts";
import {
  capacityOf,
  nameOfNode,
  resourcesOf,
  withPending,
} from "../../../../source/cloud/engines/ray/node-resources.ts";
import type { RayNode } from "../../../../source/cloud/engines/ray/ray-documents.ts";

const big: RayNode = {
  id: "bbbbbbbb1111",
  ip: "10.0.0.6",
  isHead: false,
  total: { CPU: 16, GPU: 4, "accelerator_type:A100-80G": 1, fast_disk: 1 },
  used: { CPU: 4, GPU: 1 },
};
const small: RayNode = {
  ...{ id: "aaaaaaaa1111", ip: "10.0.0.5", isHead: true },
  ...{ total: { CPU: 4 }, used: { CPU: 3.5 } },
};
const nodes = [small, big];
const types = new Map([
  ["DISK", { gpu: undefined, gpuCount: 0, cpus: 2, resources: { fast_disk: 1 } }],
]);
const need = (machineType: string | undefined, gpuCount = 0): NodeNeed =>
  nodeNeedOf({ machineType, gpuCount }, types);

describe("machine types", () => {
  it.each([
    [undefined, 0, { num_cpus: 1, num_gpus: 0, accelerator_type: null, resources: {} }],
    ["any", 2, { num_cpus: 0, num_gpus: 0, accelerator_type: null, resources: {} }],
    ["XS", 0, { num_cpus: 0.5, num_gpus: 0, accelerator_type: null, resources: {} }],
    ["GPU-A100", 2, { num_cpus: 1, num_gpus: 2, accelerator_type: "A100-80G", resources: {} }],
    ["GPU", 1, { num_cpus: 1, num_gpus: 1, accelerator_type: null, resources: {} }],
    ["disk", 0, { num_cpus: 2, num_gpus: 0, accelerator_type: null, resources: { fast_disk: 1 } }],
  ])("%s with %i GPUs", (machineType, gpuCount, resources) => {
    expect(resourcesOf([need(machineType, gpuCount)], nodes)).toEqual(resources);
  });
});

describe("capacity", () => {
  it("counts what fits on each node", () => {
    expect(capacityOf([need("S")], nodes)).toEqual({
      ...{ fits: true, replicas: 12, canEverFit: true, reason: undefined },
    });
    expect(capacityOf([need("XS")], nodes).replicas).toBe(25);
    expect(capacityOf([need("GPU-A100", 2)], nodes).replicas).toBe(1);
    expect(capacityOf([need("any")], nodes).fits).toBe(true);
  });

  it("names what is taken now", () => {
    expect(capacityOf([need("GPU-A100", 4)], nodes)).toEqual({
      fits: false,
      replicas: 0,
      canEverFit: true,
      reason:
        "the app needs 4 x A100 and 1 CPU; of 20 CPUs, 12.5 are free and of 4 GPUs, 3 are free on 2 nodes",
    });
  });

  it("names what no node has", () => {
    expect(capacityOf([need("GPU-H100")], nodes)).toEqual({
      fits: false,
      replicas: 0,
      canEverFit: false,
      reason:
        "the app needs H100 and 1 CPU, and no node of the cluster has that (10.0.0.5 with 4 CPUs and no GPU, 10.0.0.6 with 16 CPUs and 4 x A100-80G); use --machine-type any",
    });
    expect(capacityOf([need("S")], []).reason).toContain("it has no nodes");
  });

  it("takes the first choice that fits", () => {
    const needs = [need("GPU-H100"), need("GPU-A100"), need("XS")] as const;
    expect(resourcesOf([...needs], nodes).accelerator_type).toBe("A100-80G");
    expect(capacityOf([...needs], nodes).replicas).toBe(3);
  });

  it("leaves out what starting replicas will take", () => {
    const pending = [resourcesOf([need("GPU-A100", 2)], nodes), undefined];
    expect(capacityOf([need("GPU-A100")], withPending(nodes, pending)).replicas).toBe(1);
  });
});

it("nodes with one address are told apart by their ids", () => {
  expect(nameOfNode(big.id, nodes)).toBe("10.0.0.6");
  const same = nodes.map((node) => ({ ...node, ip: "127.0.0.1" }));
  expect(nameOfNode(big.id, same)).toBe("127.0.0.1/bbbbbbbb");
  expect(nameOfNode("cccccccc1111", nodes)).toBe("cccccccc");
});

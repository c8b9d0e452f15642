// Room for replicas on the nodes of a Ray cluster, and the resources to ask Ray for.
import type { Capacity } from "../engine.ts";
import { describeNeed, isOfType, type NodeNeed } from "../machine-types.ts";
import type { RayNode } from "./ray-documents.ts";

/** Resources of one replica in Ray's terms. */
export interface RayResources {
  num_cpus: number;
  num_gpus: number;
  accelerator_type: string | null;
  resources: Readonly<Record<string, number>>;
}

/** Resource of a node with such a GPU: `accelerator_type:H100`. */
const acceleratorPrefix = "accelerator_type:";
/** Limit for replicas that take nothing which Ray counts. */
const maxReplicas = 1_000;
/** Characters of a node's id that tell nodes apart. */
const idCharacters = 8;

/** @param needs in order of preference: the first that fits counts */
export function capacityOf(
  needs: readonly [NodeNeed, ...NodeNeed[]],
  nodes: readonly RayNode[],
): Capacity {
  const need = fittingNeed(needs, nodes);
  if (need !== undefined) {
    const replicas = nodes.reduce((sum, node) => sum + countOn(node, need, "free"), 0);
    return {
      fits: true,
      reason: undefined,
      replicas: Math.min(replicas, maxReplicas),
      canEverFit: true,
    };
  }
  const possible = needs.find((one) => nodes.some((node) => countOn(node, one, "total") > 0));
  if (possible !== undefined) {
    const reason = `the app needs ${describe(possible)}; ${describeRoom(possible, nodes)}`;
    return { fits: false, reason, replicas: 0, canEverFit: true };
  }
  const wanted = needs.map(describe).join(" or ");
  const reason = `the app needs ${wanted}, and no node of the cluster has that (${describeNodes(nodes)}); use --machine-type any`;
  return { fits: false, reason, replicas: 0, canEverFit: false };
}

/** Returns the resources of the first need that fits now, or else of the first that ever can. */
export function resourcesOf(
  needs: readonly [NodeNeed, ...NodeNeed[]],
  nodes: readonly RayNode[],
): RayResources {
  const canEver = (need: NodeNeed) => nodes.some((node) => countOn(node, need, "total") > 0);
  const need = fittingNeed(needs, nodes) ?? needs.find(canEver) ?? needs[0];
  const types = nodes
    .toSorted((a, b) => countOn(b, need, "free") - countOn(a, need, "free"))
    .flatMap((node) => acceleratorsOf(node, need));
  return {
    num_cpus: need.cpus,
    num_gpus: need.count,
    accelerator_type: need.name === "" ? null : (types[0] ?? need.name),
    resources: need.resources,
  };
}

/** Takes resources of replicas that Ray has not counted yet from the nodes where they fit best. */
export function withPending(
  nodes: readonly RayNode[],
  pending: readonly (RayResources | undefined)[],
): RayNode[] {
  const after = nodes.map((node) => ({ ...node, used: { ...node.used } }));
  for (const resources of pending) {
    if (resources === undefined) continue;
    const { num_cpus: cpus, num_gpus: count, accelerator_type: name } = resources;
    const need = {
      name: name ?? "",
      count,
      hidesGpus: false,
      cpus,
      resources: resources.resources,
    };
    const [best] = after.toSorted((a, b) => countOn(b, need, "free") - countOn(a, need, "free"));
    if (best === undefined) continue;
    for (const [resource, amount] of amountsOf(need)) {
      best.used[resource] = (best.used[resource] ?? 0) + amount;
    }
  }
  return after;
}

/** Returns a node's address; with its id where several nodes share it. */
export function nameOfNode(id: string, nodes: readonly Pick<RayNode, "id" | "ip">[]): string {
  const ip = nodes.find((node) => node.id === id)?.ip;
  if (ip === undefined) return id.slice(0, idCharacters);
  const isOnly = nodes.filter((node) => node.ip === ip).length === 1;
  return isOnly ? ip : `${ip}/${id.slice(0, idCharacters)}`;
}

/** Describes nodes for people: `10.0.0.5 with 8 CPUs and no GPU`. */
export function describeNodes(nodes: readonly RayNode[]): string {
  if (nodes.length === 0) return "it has no nodes";
  return nodes.map((node) => `${node.ip} with ${describeNode(node)}`).join(", ");
}

/** Describes a node's resources: `8 CPUs and 2 x H100`. */
export function describeNode({ total }: RayNode): string {
  const gpus = total.GPU ?? 0;
  const [type] = acceleratorTypes(total);
  const name =
    gpus === 0 ? "no GPU" : describeNeed({ name: type ?? "", count: gpus, hidesGpus: false });
  return `${count(total.CPU ?? 0, "CPU")} and ${name}`;
}

/** Describes what is free of a node: `3.5 of 8 CPUs, 0 of 2 GPUs`. */
export function shareOf({ total, used }: RayNode): string {
  return ["CPU", "GPU"]
    .filter((name) => name === "CPU" || (total[name] ?? 0) > 0)
    .map((name) => {
      const all = total[name] ?? 0;
      return `${round(all - (used[name] ?? 0))} of ${count(all, name)}`;
    })
    .join(", ");
}

function fittingNeed(needs: readonly NodeNeed[], nodes: readonly RayNode[]): NodeNeed | undefined {
  return needs.find((need) => nodes.some((node) => countOn(node, need, "free") > 0));
}

/** Returns how many replicas fit on a node, as it is or if it were empty. */
function countOn(node: RayNode, need: NodeNeed, of: "free" | "total"): number {
  if (need.name !== "" && acceleratorsOf(node, need).length === 0) return 0;
  const counts = amountsOf(need).map(([name, amount]) => {
    const total = node.total[name] ?? 0;
    return Math.floor((of === "free" ? total - (node.used[name] ?? 0) : total) / amount);
  });
  return Math.max(0, Math.min(maxReplicas, ...counts));
}

/** Returns what a replica takes, by the names of Ray's resources. */
function amountsOf({ cpus, count: gpus, resources }: NodeNeed): [name: string, amount: number][] {
  const amounts = { CPU: cpus, GPU: gpus, ...resources };
  return Object.entries(amounts).filter(([, amount]) => amount > 0);
}

function acceleratorsOf({ total }: RayNode, need: NodeNeed): string[] {
  return acceleratorTypes(total).filter((name) => isOfType({ name }, need));
}

function acceleratorTypes(total: RayNode["total"]): string[] {
  return Object.keys(total)
    .filter((name) => name.startsWith(acceleratorPrefix))
    .map((name) => name.slice(acceleratorPrefix.length));
}

function describe(need: NodeNeed): string {
  const own = Object.entries(need.resources).map(([name, amount]) => `${amount} ${name}`);
  const parts = [
    ...(need.count > 0 ? [describeNeed(need)] : []),
    ...(need.cpus > 0 ? [count(need.cpus, "CPU")] : []),
    ...own,
  ];
  return parts.join(" and ") || "a node";
}

/** Names the resources that the nodes lack now: `of 8 CPUs, 0.5 are free`. */
function describeRoom(need: NodeNeed, nodes: readonly RayNode[]): string {
  const parts = amountsOf(need).map(([name]) => {
    const all = nodes.reduce((sum, { total }) => sum + (total[name] ?? 0), 0);
    const used = nodes.reduce((sum, node) => sum + (node.used[name] ?? 0), 0);
    return `of ${count(all, name)}, ${round(all - used)} are free`;
  });
  const on = nodes.length === 1 ? "on its only node" : `on ${nodes.length} nodes`;
  return `${parts.join(" and ")} ${on}`;
}

function count(amount: number, name: string): string {
  const isPlural = amount !== 1 && (name === "CPU" || name === "GPU");
  return `${round(amount)} ${name}${isPlural ? "s" : ""}`;
}

function round(amount: number): number {
  return Math.round(Math.max(0, amount) * 100) / 100;
}

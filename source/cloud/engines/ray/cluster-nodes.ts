// Nodes of a Ray cluster as last read, and those that it has lost lately.
import type { Clock } from "../../../base/clock.ts";
import type { EngineNode } from "../engine.ts";
import { describeNode, nameOfNode, shareOf } from "./node-resources.ts";
import type { RayClient } from "./ray-client.ts";
import type { RayNode } from "./ray-documents.ts";

const readEveryMs = 5_000;
/** Time for which a lost node is shown. */
const lostMs = 600_000;

export class ClusterNodes {
  readonly #client: Pick<RayClient, "nodes">;
  readonly #clock: Clock;
  #alive: readonly RayNode[] = [];
  /** Nodes that have disappeared, with the monotonic time of that. */
  #lost: readonly { node: RayNode; at: number }[] = [];
  #readAt = -Infinity;

  constructor(client: Pick<RayClient, "nodes">, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Reads the nodes that are alive. */
  async read(): Promise<readonly RayNode[]> {
    const alive = await this.#client.nodes();
    const now = this.#clock.now();
    const ids = new Set(alive.map(({ id }) => id));
    const gone = this.#alive.filter(({ id }) => !ids.has(id)).map((node) => ({ node, at: now }));
    const lately = this.#lost.filter(({ node, at }) => !ids.has(node.id) && now - at < lostMs);
    this.#lost = [...lately, ...gone];
    this.#alive = alive;
    this.#readAt = now;
    return alive;
  }

  /** Reads the nodes if they were not read for a while, or if the given one is unknown. */
  async refresh(id?: string): Promise<void> {
    const isKnown = id === undefined || this.#alive.some((node) => node.id === id);
    if (!isKnown || this.#clock.now() - this.#readAt >= readEveryMs) await this.read();
  }

  /** Returns a node's name for people. */
  nameOf(id: string): string {
    return nameOfNode(id, this.#all);
  }

  list(): EngineNode[] {
    return [
      ...this.#alive.map((node) => engineNode(node, this.#all)),
      ...this.#lost.map(({ node }) => engineNode(node, this.#all, true)),
    ];
  }

  get #all(): readonly RayNode[] {
    return [...this.#alive, ...this.#lost.map(({ node }) => node)];
  }
}

/** Describes a node for people. @param nodes all that may share its address */
export function engineNode(node: RayNode, nodes: readonly RayNode[], isLost = false): EngineNode {
  return {
    name: nameOfNode(node.id, nodes),
    id: node.id,
    isHead: node.isHead,
    isLost,
    resources: describeNode(node),
    free: isLost ? "" : shareOf(node),
  };
}

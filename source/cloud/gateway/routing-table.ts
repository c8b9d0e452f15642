// Routing table published by the control plane: the apps, and the replicas that serve them.
import type { Clock } from "../../base/clock.ts";
import { AppTraffic } from "./app-traffic.ts";
import type { Refusal } from "./refusals.ts";
import { ReplicaSlot } from "./replica-slot.ts";
import type { Demand, RoutedApp, Traffic, TrafficReport } from "./traffic.ts";

const noDemand: Demand = { busy: 0, queued: 0, oldestQueuedMs: 0 };

type DemandListener = (organisation: string, app: string) => void;

export class RoutingTable implements Traffic {
  readonly reportingSince: number;
  readonly #clock: Clock;
  readonly #connectTimeoutMs: number;
  readonly #apps = new Map<string, AppTraffic>();
  /** Includes replicas that left the table but still have requests. */
  readonly #slots = new Map<string, ReplicaSlot>();
  readonly #listeners = new Set<DemandListener>();

  constructor(clock: Clock, connectTimeoutMs: number) {
    this.#clock = clock;
    this.#connectTimeoutMs = connectTimeoutMs;
    this.reportingSince = clock.wallMs();
  }

  find(organisation: string, app: string): AppTraffic | undefined {
    return this.#apps.get(`${organisation}/${app}`);
  }

  publish(apps: readonly RoutedApp[]): void {
    const names = new Set(apps.map(nameOf));
    for (const [name, traffic] of this.#apps) {
      if (names.has(name)) continue;
      this.#apps.delete(name);
      traffic.refuseAll({ type: "app_not_found", detail: `The app ${name} no longer exists.` });
    }
    for (const app of apps) this.#update(app);
    const replicas = new Set(apps.flatMap((app) => app.replicas.map(({ replica }) => replica)));
    for (const slot of this.#slots.values()) {
      if (!replicas.has(slot.replica)) this.#retire(slot);
    }
  }

  demand(organisation: string, app: string): Demand {
    return this.find(organisation, app)?.demand ?? noDemand;
  }

  inFlight(replica: string): number {
    return this.#slots.get(replica)?.inFlight ?? 0;
  }

  lastUsedAt(replica: string): number | undefined {
    return this.#slots.get(replica)?.lastUsedAt;
  }

  report(): TrafficReport {
    const demands = [...this.#apps.values()].flatMap(({ routed, demand }) => {
      const { organisation, app } = routed;
      return demand.busy + demand.queued === 0 ? [] : [{ organisation, app, ...demand }];
    });
    const replicas = [...this.#slots.values()]
      .filter(({ inFlight, lastUsedAt }) => inFlight > 0 || lastUsedAt !== undefined)
      .map(({ replica, inFlight, lastUsedAt }) => ({ replica, inFlight, lastUsedAt }));
    return { demands, replicas };
  }

  onDemand(listener: DemandListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async drained(replica: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const slot = this.#slots.get(replica);
    if (slot === undefined) return;
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        stopWaiting();
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      const stopWaiting = slot.whenDrained(() => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      });
    });
  }

  refuseAllWaiting(refusal: Refusal): void {
    for (const traffic of this.#apps.values()) traffic.refuseAll(refusal);
  }

  /** Closes all connections to replicas; those in use close when returned to the pool. */
  closeConnections(): void {
    for (const slot of this.#slots.values()) slot.pool.close();
  }

  #update(routed: RoutedApp): void {
    const name = nameOf(routed);
    const slots = routed.replicas.map((replica) => {
      const known = this.#slots.get(replica.replica);
      if (known?.endpoint === replica.endpoint) {
        known.update(replica);
        return known;
      }
      const slot = new ReplicaSlot(replica, this.#connectTimeoutMs);
      this.#slots.set(replica.replica, slot);
      if (known !== undefined) this.#retire(known);
      return slot;
    });
    const known = this.#apps.get(name);
    if (known !== undefined) {
      known.update(routed, slots);
      return;
    }
    const { organisation, app } = routed;
    const traffic = new AppTraffic(routed, this.#clock, () => this.#tell(organisation, app));
    this.#apps.set(name, traffic);
    traffic.update(routed, slots);
  }

  #retire(slot: ReplicaSlot): void {
    if (slot.isRetired) return;
    slot.retire();
    slot.whenDrained(() => {
      slot.pool.close();
      if (this.#slots.get(slot.replica) === slot) this.#slots.delete(slot.replica);
    });
  }

  #tell(organisation: string, app: string): void {
    for (const listener of this.#listeners) listener(organisation, app);
  }
}

function nameOf({ organisation, app }: RoutedApp): string {
  return `${organisation}/${app}`;
}

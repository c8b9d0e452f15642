// Gateway whose requests a test scripts.
import type { Demand, RoutedApp, Traffic } from "../../../source/cloud/gateway/traffic.ts";

export class ScriptedTraffic implements Traffic {
  table: readonly RoutedApp[] = [];
  reportingSince: number | undefined = 0;
  readonly lastUsed = new Map<string, number>();
  readonly #demands = new Map<string, Demand>();
  readonly #inFlight = new Map<string, number>();
  readonly #listeners = new Set<(organisation: string, app: string) => void>();
  readonly #waiting = new Set<() => void>();

  publish(apps: readonly RoutedApp[]): void {
    this.table = apps;
  }

  app(name: string): RoutedApp | undefined {
    return this.table.find(({ app }) => app === name);
  }

  /** Replicas that take requests. */
  open(name: string): string[] {
    const replicas = this.app(name)?.replicas ?? [];
    return replicas.filter(({ isOpen }) => isOpen).map(({ replica }) => replica);
  }

  ask(app: string, demand: Partial<Demand>): void {
    this.#demands.set(app, { busy: 0, queued: 0, oldestQueuedMs: 0, ...demand });
    for (const listener of this.#listeners) listener("local", app);
  }

  hold(replica: string, requests: number): void {
    this.#inFlight.set(replica, requests);
    for (const wake of [...this.#waiting]) wake();
  }

  demand(_organisation: string, app: string): Demand {
    return this.#demands.get(app) ?? { busy: 0, queued: 0, oldestQueuedMs: 0 };
  }

  inFlight(replica: string): number {
    return this.#inFlight.get(replica) ?? 0;
  }

  lastUsedAt(replica: string): number | undefined {
    return this.lastUsed.get(replica);
  }

  onDemand(listener: (organisation: string, app: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async drained(replica: string, signal: AbortSignal): Promise<void> {
    while (this.inFlight(replica) > 0) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
        signal.addEventListener("abort", wake, { once: true });
      });
    }
  }
}

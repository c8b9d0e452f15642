// What a process engine is built with.
import type { Clock } from "../../../base/clock.ts";
import type { Reservations } from "../../state/reservations.ts";
import type { RevisionPlan } from "../engine.ts";
import type { HealthSettings } from "./health-watch.ts";
import type { PortRange } from "./port-pool.ts";

/** What a revision's replicas are run with. */
export interface RevisionEnvironment {
  /** The interpreter. */
  python: string;
  /** Variables that every replica gets. */
  variables: Record<string, string>;
}

/** Makes it, or finds it made; throws ProductError with exit code 6. */
export type PrepareEnvironment = (
  plan: RevisionPlan,
  log: (text: string) => void,
  signal: AbortSignal,
) => Promise<RevisionEnvironment>;

export interface ProcessEngineOptions {
  stateFolder: string;
  reservations: Reservations;
  prepareEnvironment: PrepareEnvironment;
  /** Told what concerns the engine's own work. */
  log: (text: string) => void;
  clock?: Clock;
  portRange?: PortRange;
  /** Whether the gateway has requests in a replica: a busy one may leave a health check unanswered. */
  isBusy?: (replica: string) => boolean;
  health?: HealthSettings;
  /** How long a process that nobody knows is left alive. */
  orphanGraceMs?: number;
  /** Those that replicas inherit, and that say which GPUs there are. */
  environment?: NodeJS.ProcessEnv;
}

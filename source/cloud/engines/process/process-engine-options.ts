// Options of the process engine.
import type { Clock } from "../../../base/clock.ts";
import type { Reservations } from "../../state/reservations.ts";
import type { RevisionPlan } from "../engine.ts";
import type { HealthSettings } from "../health-watch.ts";
import type { PortRange } from "./port-pool.ts";

/** Environment in which a revision's replicas run. */
export interface RevisionEnvironment {
  /** The interpreter. */
  python: string;
  /** Variables of every replica. */
  variables: Record<string, string>;
}

/** Builds or finds the environment; throws ProductError with exit code 6. */
export type PrepareEnvironment = (
  plan: RevisionPlan,
  log: (text: string) => void,
  signal: AbortSignal,
) => Promise<RevisionEnvironment>;

export interface ProcessEngineOptions {
  stateFolder: string;
  reservations: Reservations;
  prepareEnvironment: PrepareEnvironment;
  /** Logs the engine's own problems. */
  log: (text: string) => void;
  clock?: Clock;
  portRange?: PortRange;
  /**
   * Returns true while the gateway has requests at a replica: a busy one may leave a health check
   * unanswered.
   */
  isBusy?: (replica: string) => boolean;
  health?: HealthSettings;
  /** Time that an unknown process is left running. */
  orphanGraceMs?: number;
  /** Variables that replicas inherit, including the visible GPUs. */
  environment?: NodeJS.ProcessEnv;
}

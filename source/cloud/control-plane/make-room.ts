// Room for one more replica: waits for it, or stops the old replicas first.
import type { RevisionPlan } from "../engines/engine.ts";
import { type AppKey, appName, type Rollout } from "../state/app-records.ts";
import type { ControlContext } from "./control-context.ts";
import type { ReplicaManager } from "./replica-manager.ts";
import { noCapacity } from "./rollout-failure.ts";

/** Others may free room meanwhile. */
const roomWaitMs = 30_000;
const roomPauseMs = 1000;

export interface RoomWanted {
  context: ControlContext;
  manager: ReplicaManager;
  /** App that is being rolled out. */
  app: AppKey;
  plan: RevisionPlan;
  signal: AbortSignal;
  /** Waits instead of stopping old replicas. */
  keepsOthers: boolean;
  /** Reports the reason for waiting. */
  tell: (sentence: string) => void;
  warn: (code: string, sentence: string) => void;
}

/**
 * Resolves when one more replica fits.
 *
 * @throws RolloutFailure, or the signal's reason
 */
export async function makeRoom(wanted: RoomWanted): Promise<void> {
  const { context, manager, app, plan, signal, tell } = wanted;
  const { store, clock, engine } = context;
  if (rolloutOf(wanted).strategy === "recreate") await hold(wanted, "strategy recreate");
  const deadline = clock.now() + roomWaitMs;
  while (true) {
    const capacity = await engine.capacity(plan);
    if (capacity.fits) return;
    const reason = capacity.reason ?? "not enough room for another replica";
    if (!capacity.canEverFit) throw noCapacity(reason);
    const others = store.replicas.livingOf(app).length > 0;
    const mayStop = others && !wanted.keepsOthers;
    if (mayStop && !rolloutOf(wanted).isHolding) await hold(wanted, reason);
    else if (clock.now() >= deadline) throw noCapacity(reason);
    else {
      tell(`Waiting for room: ${reason}`);
      await manager.until(pauseOf(context, roomPauseMs), signal);
    }
  }
}

/** Stops the old replicas first; requests queue meanwhile. */
async function hold(wanted: RoomWanted, reason: string): Promise<void> {
  const { context, manager, app, signal, warn } = wanted;
  const { store } = context;
  if (store.replicas.livingOf(app).length > 0) {
    warn(
      "recreated",
      `Old replicas stop before the new one starts (${reason}); requests queue meanwhile.`,
    );
  }
  store.apps.update(app, { rollout: { ...rolloutOf(wanted), isHolding: true } });
  context.publish();
  context.wake();
  await manager.until(() => store.replicas.livingOf(app).length === 0 || undefined, signal);
}

/** Returns a condition for `until` that holds once the time is over. */
export function pauseOf(context: ControlContext, delayMs: number): () => true | undefined {
  const end = context.clock.now() + delayMs;
  // Timers may fire early compared with another clock.
  context.wake(delayMs + 5);
  return () => (context.clock.now() >= end ? true : undefined);
}

function rolloutOf({ context, app }: RoomWanted): Rollout {
  const { rollout } = context.store.apps.get(app);
  if (rollout === undefined) throw new Error(`${appName(app)} is not being rolled out`);
  return rollout;
}

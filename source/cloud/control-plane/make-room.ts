// Room for one replica more: waited for, or made by ending the old ones first.
import type { RevisionPlan } from "../engines/engine.ts";
import { type AppKey, appName, type Rollout } from "../state/app-records.ts";
import type { ControlContext } from "./control-context.ts";
import type { ReplicaKeeper } from "./replica-keeper.ts";
import { noCapacity } from "./rollout-failure.ts";

/** Others may make room meanwhile. */
const roomWaitMs = 30_000;
const roomPauseMs = 1000;

export interface RoomWanted {
  context: ControlContext;
  keeper: ReplicaKeeper;
  /** It is being rolled out. */
  app: AppKey;
  plan: RevisionPlan;
  signal: AbortSignal;
  /** Told what is waited for. */
  tell: (sentence: string) => void;
  warn: (code: string, sentence: string) => void;
}

/**
 * Resolves when one replica more fits.
 *
 * @throws RolloutFailure, or the signal's reason
 */
export async function makeRoom(wanted: RoomWanted): Promise<void> {
  const { context, keeper, app, plan, signal, tell } = wanted;
  const { store, clock, engine } = context;
  if (rolloutOf(wanted).strategy === "recreate") await hold(wanted, "as was asked");
  const deadline = clock.now() + roomWaitMs;
  while (true) {
    const capacity = await engine.capacity(plan);
    if (capacity.fits) return;
    const reason = capacity.reason ?? "no further replica fits";
    if (!capacity.canEverFit) throw noCapacity(reason);
    const others = store.replicas.livingOf(app).length > 0;
    if (others && !rolloutOf(wanted).isHolding) await hold(wanted, reason);
    else if (clock.now() >= deadline) throw noCapacity(reason);
    else {
      tell(`Waiting for room: ${reason}`);
      await keeper.until(pauseOf(context, roomPauseMs), signal);
    }
  }
}

/** Ends the old replicas first; requests wait in the queue meanwhile. */
async function hold(wanted: RoomWanted, reason: string): Promise<void> {
  const { context, keeper, app, signal, warn } = wanted;
  const { store } = context;
  if (store.replicas.livingOf(app).length > 0) {
    warn(
      "recreated",
      `Two replicas do not run side by side (${reason}): the old ones end first, requests wait.`,
    );
  }
  store.apps.update(app, { rollout: { ...rolloutOf(wanted), isHolding: true } });
  context.publish();
  context.wake();
  await keeper.until(() => store.replicas.livingOf(app).length === 0 || undefined, signal);
}

/** For `until`: something else than undefined once the time is over. */
export function pauseOf(context: ControlContext, delayMs: number): () => true | undefined {
  const end = context.clock.now() + delayMs;
  // Timers may fire a little early by another clock.
  context.wake(delayMs + 5);
  return () => (context.clock.now() >= end ? true : undefined);
}

function rolloutOf({ context, app }: RoomWanted): Rollout {
  const { rollout } = context.store.apps.get(app);
  if (rollout === undefined) throw new Error(`${appName(app)} is not being rolled out`);
  return rollout;
}

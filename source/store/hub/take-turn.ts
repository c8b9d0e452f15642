// Waits for a lock that another process may hold for hours: says so, and can be left.
import type { BlobFolder } from "../library/blob-folder.ts";
import { cancelled } from "./retry.ts";

export type Locks = Pick<BlobFolder, "withLock">;

/** A wait is worth a word when it takes longer than this. */
const patienceMs = 300;

/**
 * @param caller `onWait` is called once, when it takes a while
 * @throws ProductError `STORE_HUB_CANCELLED` when the signal ends the wait
 */
export async function takeTurn<T>(
  locks: Locks,
  name: string,
  caller: { signal: AbortSignal; onWait: () => void },
  work: () => Promise<T>,
): Promise<T> {
  const { signal, onWait } = caller;
  const patience = setTimeout(onWait, patienceMs);
  const left = Promise.withResolvers<never>();
  let isMyTurn = false;
  const onAbort = () => {
    // Once it works, the work itself ends in good order.
    if (!isMyTurn) left.reject(cancelled());
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const turn = locks.withLock(name, async () => {
      // Nobody waits any more: the lock came too late.
      if (signal.aborted) throw cancelled();
      isMyTurn = true;
      clearTimeout(patience);
      return await work();
    });
    return await Promise.race([turn, left.promise]);
  } finally {
    clearTimeout(patience);
    signal.removeEventListener("abort", onAbort);
  }
}

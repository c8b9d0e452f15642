// Time of day for ages and clocks on the screen.

import { createContext, use } from "react";
import { type Clock, systemClock } from "../../base/clock.ts";

export const ClockContext = createContext<Clock>(systemClock);

/** Milliseconds since 1970, read for each drawing. */
export function useNow(): number {
  return use(ClockContext).wallMs();
}

// Context of every component: styles by meaning, layout and clock.

import { createContext, use, useSyncExternalStore } from "react";
import type { Clock } from "../../base/clock.ts";
import { Observable } from "../../base/store.ts";
import type { Theme } from "../frame/themes.ts";
import type { Layout } from "../theme.ts";
import { usePaced } from "./use-store.ts";

export interface Look {
  /** Props of Ink's `Text` for each tone: `<Text {...theme.dim}>`. */
  readonly theme: Theme;
  readonly layout: Layout;
  /** Time of day for ages on the screen. */
  readonly clock: Clock;
}

export const LookContext = createContext<Look | undefined>(undefined);

/** @throws outside a `LookContext` */
export function useLook(): Look {
  const look = use(LookContext);
  if (look === undefined) throw new Error("useLook needs a LookContext around it");
  return look;
}

const tickMs = 1000;
/** Within this time every reading is the same, so that a frame has one time. */
const readingMs = 100;

/** Ticks while an age is on the screen. */
class Ticks extends Observable {
  #timer: NodeJS.Timeout | undefined;
  #listeners = 0;

  readonly follow = (listener: () => void): (() => void) => {
    const stop = this.subscribe(listener);
    this.#listeners += 1;
    this.#timer ??= setInterval(() => this.tell(), tickMs).unref();
    return () => {
      stop();
      this.#listeners -= 1;
      if (this.#listeners > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  };
}

const ticks = new Ticks();
const eachTick = { subscribe: ticks.follow };

/** Returns milliseconds since 1970, and draws again every second. */
export function useNow(): number {
  const { clock } = useLook();
  // Rounded up: no event is later than now.
  return useSyncExternalStore(
    usePaced(eachTick),
    () => Math.ceil(clock.wallMs() / readingMs) * readingMs,
  );
}

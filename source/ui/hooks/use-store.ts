// Reads stores and the frame from components. Changes by a key are drawn at once, streams at most every
// 50 ms.

import { useWindowSize } from "ink";
import { createContext, use, useCallback, useEffect, useRef, useSyncExternalStore } from "react";
import type { Frame, FrameView } from "../frame/frame.ts";
import type { WindowSize } from "../frame/window-size.ts";
import { Pace } from "./pace.ts";

/** A store outside React, such as `Store`. */
export interface Readable<State> {
  readonly get: () => State;
  /** @returns a function that stops it */
  readonly subscribe: (listener: () => void) => () => void;
}

export const PaceContext = createContext(new Pace());

/**
 * Returns a selected part of the state, updated when it changes.
 *
 * @param select returns the same object until that part changes: React compares by identity
 */
export function useStore<State, Part>(
  store: Readable<State>,
  select: (state: State) => Part,
): Part {
  const subscribe = usePaced(store);
  return useSyncExternalStore(subscribe, () => select(store.get()));
}

/** Returns named parts of the state, updated when one of them changes. */
export function useParts<State extends object, Key extends keyof State>(
  store: Readable<State>,
  ...keys: readonly Key[]
): Pick<State, Key> {
  return useEqual(
    store,
    (state) => state,
    (before, after) => keys.every((key) => Object.is(before[key], after[key])),
  );
}

/** Returns a selected object, updated when one of its values changes. */
export function useShallow<State, Part extends object>(
  store: Readable<State>,
  select: (state: State) => Part,
): Part {
  return useEqual(store, select, isShallowEqual);
}

/** Returns the selected part; as long as it is equal, the same object. */
function useEqual<State, Part>(
  store: Readable<State>,
  select: (state: State) => Part,
  isEqual: (before: Part, after: Part) => boolean,
): Part {
  const drawn = useRef<Part>(undefined);
  let last: Part | undefined;
  const part = useStore(store, (state) => {
    const before = last ?? drawn.current;
    const next = select(state);
    last = before !== undefined && isEqual(before, next) ? before : next;
    return last;
  });
  useEffect(() => {
    drawn.current = part;
  }, [part]);
  return part;
}

function isShallowEqual(one: object, other: object): boolean {
  const values = new Map(Object.entries(other));
  const entries = Object.entries(one);
  return (
    entries.length === values.size &&
    entries.every(([name, value]) => Object.is(value, values.get(name)))
  );
}

/** Returns what the frame shows now. */
export function useFrame(frame: Frame): FrameView {
  return useStore(frame, (view) => view);
}

/** Returns the program's size in cells and rows; updates when the terminal is resized. */
export function useFrameSize(frame: Frame): WindowSize {
  // Inline, the program is smaller than the window, and only Ink reports a resize.
  useWindowSize();
  return frame.windowSize();
}

/** Returns a paced subscribe function. */
export function usePaced(source: Pick<Readable<unknown>, "subscribe">) {
  const pace = use(PaceContext);
  return useCallback(
    (listener: () => void) => {
      const stop = source.subscribe(() => pace.tell(listener));
      return () => {
        stop();
        pace.drop(listener);
      };
    },
    [source, pace],
  );
}

// The terminal's cursor: position of typed text, and of an input method's window.

import { useCursor } from "ink";
import {
  createContext,
  type ReactElement,
  type ReactNode,
  type RefObject,
  use,
  useLayoutEffect,
  useMemo,
} from "react";

export interface Place {
  readonly x: number;
  readonly y: number;
}

const OriginContext = createContext<Place>({ x: 0, y: 0 });
/** True for components below an overlay, which takes the keys. */
const CoveredContext = createContext(false);

/** The cursor's cell in Ink's output, which locates the frame after a resize; undefined while hidden. */
export const CursorPlaceContext = createContext<RefObject<Place | undefined> | undefined>(
  undefined,
);

/**
 * Sets a new origin for the cursor of children: Ink needs its cell in the whole output.
 */
export function Origin({ x, y, children }: Place & { readonly children: ReactNode }): ReactElement {
  const outer = use(OriginContext);
  const origin = useMemo(() => ({ x: outer.x + x, y: outer.y + y }), [outer, x, y]);
  return <OriginContext value={origin}>{children}</OriginContext>;
}

/** Hides the cursor of children that are covered by an overlay. */
export function CursorGuard(props: {
  readonly isCovered: boolean;
  readonly children: ReactNode;
}): ReactElement {
  return <CoveredContext value={props.isCovered}>{props.children}</CoveredContext>;
}

/** Shows the cursor, in cells from the nearest `Origin`. Mount only one, where the focus is. */
export function TextCursor(place: Place): ReactElement | null {
  return use(CoveredContext) ? null : <ShownCursor {...place} />;
}

function ShownCursor({ x, y }: Place): null {
  const origin = use(OriginContext);
  const shown = use(CursorPlaceContext);
  const { setCursorPosition } = useCursor();
  const place = { x: origin.x + x, y: origin.y + y };
  setCursorPosition(place);
  useLayoutEffect(() => {
    if (shown === undefined) return;
    shown.current = place;
    return () => {
      shown.current = undefined;
    };
  });
  return null;
}

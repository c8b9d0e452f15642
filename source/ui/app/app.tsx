// The root component: contexts, the key router, and the layout.

import { type ReactElement, useMemo } from "react";
import type { Clock } from "../../base/clock.ts";
import { ErrorBoundary } from "../components/error-boundary.tsx";
import type { Frame } from "../frame/frame.ts";
import type { TerminalHandle } from "../frame/terminal-services.ts";
import { themes } from "../frame/themes.ts";
import type { Pace } from "../hooks/pace.ts";
import { ClockContext } from "../hooks/use-clock.ts";
import { useFrame, useFrameSize } from "../hooks/use-frame.ts";
import { useKeyRouter } from "../hooks/use-key-router.ts";
import { type Layout, LayoutContext } from "../hooks/use-layout.ts";
import { LookContext } from "../hooks/use-look.ts";
import { PaceContext } from "../hooks/use-store.ts";
import { FullScreen } from "../layouts/full-screen.tsx";
import { InlineFrame } from "../layouts/inline-frame.tsx";
import { Reader } from "../layouts/reader.tsx";

export interface AppProps {
  readonly frame: Frame;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly layout: Layout;
  /** The terminal is xterm.js, as in VS Code. Defaults to false. */
  readonly isXtermJs?: boolean;
  readonly terminal: TerminalHandle;
  /** A component threw; the program ends. */
  readonly onError: (error: Error) => void;
}

export function App({ pace, clock, layout, onError, ...rest }: AppProps): ReactElement {
  return (
    <ErrorBoundary onError={onError}>
      <PaceContext value={pace}>
        <ClockContext value={clock}>
          <LayoutContext value={layout}>
            <Root layout={layout} {...rest} />
          </LayoutContext>
        </ClockContext>
      </PaceContext>
    </ErrorBoundary>
  );
}

type RootProps = Pick<AppProps, "frame" | "layout" | "isXtermJs" | "terminal">;

function Root({ frame, layout, isXtermJs = false, terminal }: RootProps): ReactElement {
  useKeyRouter(frame, terminal);
  const theme = useFrame(frame, (one) => one.theme);
  const look = useMemo(() => ({ glyphs: frame.glyphs, theme: themes[theme] }), [frame, theme]);
  return (
    <LookContext value={look}>
      {layout === "window" && <FullScreen frame={frame} />}
      {layout === "inline" && <Inline frame={frame} isXtermJs={isXtermJs} />}
      {layout === "reader" && <Reader frame={frame} />}
    </LookContext>
  );
}

interface InlineProps {
  readonly frame: Frame;
  readonly isXtermJs: boolean;
}

function Inline({ frame, isXtermJs }: InlineProps): ReactElement {
  return (
    <>
      <Scrollbacks frame={frame} />
      <InlineFrame frame={frame} isXtermJs={isXtermJs}>
        <FullScreen frame={frame} />
      </InlineFrame>
    </>
  );
}

/** Prints finished messages of all screens above everything that still changes. */
function Scrollbacks({ frame }: { readonly frame: Frame }): ReactElement {
  const { columns } = useFrameSize(frame);
  const screens = useFrame(frame, (one) => one.screens);
  return (
    <>
      {screens.map(({ id, Scrollback }) =>
        Scrollback === undefined ? null : <Scrollback key={id} columns={columns} />,
      )}
    </>
  );
}

// Root component: error boundary, contexts, key router and layout.

import { useApp, useInput, usePaste } from "ink";
import { Component, type ReactElement, type ReactNode, use, useEffect, useMemo } from "react";
import type { Clock } from "../../base/clock.ts";
import type { Frame } from "../frame/frame.ts";
import { interpretInput } from "../frame/key-name.ts";
import type { TerminalHandle } from "../frame/terminal-services.ts";
import { themes } from "../frame/themes.ts";
import type { Pace } from "../hooks/pace.ts";
import { LookContext } from "../hooks/use-look.ts";
import { PaceContext, useFrameSize, useStore } from "../hooks/use-store.ts";
import { FullScreen } from "../layouts/full-screen.tsx";
import { InlineFrame } from "../layouts/inline-frame.tsx";
import { Reader } from "../layouts/reader.tsx";
import type { Layout } from "../theme.ts";

export interface AppProps {
  readonly frame: Frame;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly layout: Layout;
  /** True in xterm.js, the terminal of VS Code. Defaults to false. */
  readonly isXtermJs?: boolean;
  readonly terminal: TerminalHandle;
  /** Called with the error of a component; the program then ends. */
  readonly onError: (error: Error) => void;
}

export function App({ pace, onError, ...rest }: AppProps): ReactElement {
  return (
    <ErrorBoundary onError={onError}>
      <PaceContext value={pace}>
        <Root {...rest} />
      </PaceContext>
    </ErrorBoundary>
  );
}

type ErrorBoundaryProps = Pick<AppProps, "onError"> & { readonly children: ReactNode };

/** Draws nothing after a component threw, so that the terminal can be restored. */
class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidCatch(error: Error): void {
    this.props.onError(error);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children;
  }
}

type RootProps = Omit<AppProps, "pace" | "onError">;

function Root({ frame, clock, layout, isXtermJs = false, terminal }: RootProps): ReactElement {
  useKeyRouter(frame, terminal);
  const theme = useStore(frame, (view) => view.theme);
  const look = useMemo(() => ({ theme: themes[theme], layout, clock }), [theme, layout, clock]);
  return (
    <LookContext value={look}>
      {layout === "window" && <FullScreen frame={frame} />}
      {layout === "inline" && (
        <>
          <Scrollbacks frame={frame} />
          <InlineFrame frame={frame} isXtermJs={isXtermJs}>
            <FullScreen frame={frame} />
          </InlineFrame>
        </>
      )}
      {layout === "reader" && <Reader frame={frame} />}
    </LookContext>
  );
}

/**
 * Passes keys and pastes to the frame, whose commands decide where each goes. Ink gives every key to
 * every active `useInput`, so no other component has one.
 */
function useKeyRouter(frame: Frame, terminal: TerminalHandle): void {
  const pace = use(PaceContext);
  const { suspendTerminal } = useApp();
  useEffect(() => {
    terminal.suspend = suspendTerminal;
  }, [terminal, suspendTerminal]);
  useInput((input, key) => {
    pace.hurry();
    for (const press of interpretInput(input, key, frame.get().isStarting)) frame.press(press);
  });
  usePaste((text) => {
    pace.hurry();
    frame.paste(text);
  });
}

/** Prints finished messages of all screens above everything that still changes. */
function Scrollbacks({ frame }: { readonly frame: Frame }): ReactElement {
  const { columns } = useFrameSize(frame);
  const screens = useStore(frame, (view) => view.screens);
  return (
    <>
      {screens.map(({ id, Scrollback }) =>
        Scrollback === undefined ? null : <Scrollback key={id} columns={columns} />,
      )}
    </>
  );
}

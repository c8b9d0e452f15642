// The state of the connection: a banner over old figures, and the console before there are deployments.

import { Text } from "ink";
import type { ReactElement } from "react";
import { Panel, panelInnerWidth } from "../../components/panel.tsx";
import { TextLine } from "../../components/text-line.tsx";
import { useLook } from "../../hooks/use-look.ts";
import { span } from "../../text/quantities.ts";
import { type CloudState, type ConsoleState, canStart } from "./console-state.ts";

export interface ConnectionBannerProps {
  readonly cloud: CloudState;
  readonly width: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The banner: why the figures are old, how old, and the keys that help. */
export function ConnectionBanner({ cloud, width, now }: ConnectionBannerProps): ReactElement {
  const { glyphs } = useLook();
  const { link, readAtMs } = cloud;
  const age = readAtMs === undefined ? [] : [`figures are ${span(now - readAtMs)} old`];
  const isDown = link.kind === "down";
  const parts = isDown
    ? [
        canStart(cloud) ? "No control plane answers on this machine" : link.sentence,
        ...age,
        ...(canStart(cloud) ? ["S starts it"] : []),
        "r asks again",
      ]
    : ["The control plane is slow to answer", ...age];
  const sign = isDown ? glyphs.failed : glyphs.warning;
  const text = ` ${sign} ${parts.join(` ${glyphs.separator} `)}`;
  return <TextLine text={text} tone={isDown ? "error" : "warning"} width={width} />;
}

export interface EmptyConsoleProps {
  readonly state: ConsoleState;
  readonly width: number;
  readonly height: number;
}

/** Nothing is deployed, or nothing is known yet: why, and what to do. */
export function EmptyConsole({ state, width, height }: EmptyConsoleProps): ReactElement {
  const { glyphs } = useLook();
  return (
    <Panel width={width} height={height} title="Deployments" isFocused={state.pane === "apps"}>
      <Text> </Text>
      {emptyLines(state.cloud, glyphs.ellipsis).map((line) => (
        <TextLine key={line} text={`  ${line}`} tone="dim" width={panelInnerWidth(width)} />
      ))}
    </Panel>
  );
}

function emptyLines(cloud: CloudState, ellipsis: string): readonly string[] {
  const { link, target } = cloud;
  if (link.kind === "up") {
    return [
      "Nothing is deployed yet. 4 opens the wizard: from a script or a model to a private endpoint.",
    ];
  }
  if (link.kind === "connecting") return [`Asking ${target.place} what is deployed${ellipsis}`];
  if (!canStart(cloud)) return [link.sentence, "r asks again; p chooses another server."];
  return [
    "The control plane does not run.",
    "S starts it: it serves apps in the background until deployctl down.",
    "4 opens the wizard, whose launch starts it too.",
  ];
}

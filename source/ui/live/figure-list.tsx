// A list of figures, one per row: label, trend or gauge, value.

import { Box } from "ink";
import type { ReactElement } from "react";
import { Gauge, Sparkline } from "../components/bars.tsx";
import { Text } from "../components/text.tsx";
import { useLook } from "../hooks/use-look.ts";
import { fitText } from "../text/text-run.ts";
import type { Tone } from "../theme.ts";
import type { Figure } from "./machine-figures.ts";

const labelCells = 8;

export interface FigureListProps {
  readonly figures: readonly Figure[];
  readonly width: number;
  /** Dims outdated figures. */
  readonly isStale: boolean;
}

export function FigureList({ figures, width, isStale }: FigureListProps): ReactElement {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {figures.map((figure, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a figure is its place
        <FigureRow key={index} figure={figure} width={width} isStale={isStale} />
      ))}
    </Box>
  );
}

type FigureRowProps = Omit<FigureListProps, "figures"> & { readonly figure: Figure };

function FigureRow({ figure, width, isStale }: FigureRowProps): ReactElement {
  const { theme } = useLook();
  const { kind, label, value } = figure;
  const style = (tone: Tone) => theme[isStale ? "dim" : tone];
  if (kind === "state") {
    const room = Math.max(1, width - value.length - 1);
    const name = fitText(label, room);
    return (
      <Text wrap="truncate">
        <Text {...style(figure.labelTone ?? "plain")}>{name}</Text>{" "}
        <Text {...style(figure.tone)}>{value}</Text>
      </Text>
    );
  }
  const room = Math.max(0, width - labelCells - value.length - 1);
  const old = isStale && { tone: "dim" as const };
  const shownLabel = label === "" ? "" : label.padEnd(labelCells).slice(0, labelCells);
  return (
    <Text wrap="truncate">
      <Text {...theme.dim}>{shownLabel}</Text>
      {kind === "trend" && <Sparkline values={figure.values} width={room} floor={1} {...old} />}
      {kind === "gauge" && <Gauge share={figure.share} width={room} {...old} />}
      {kind !== "text" && " "}
      <Text {...style(kind === "text" ? (figure.tone ?? "plain") : "value")}>{value}</Text>
    </Text>
  );
}

// A list of figures, one per row: label, trend or gauge, value.

import { Box, Text } from "ink";
import { memo, type ReactElement } from "react";
import type { ServerSample } from "../../client/metrics.ts";
import { Gauge, Sparkline } from "../components/bars.tsx";
import { useLook } from "../hooks/use-look.ts";
import { fitText, foreignText } from "../text/text-run.ts";
import { type Figure, machineFigures } from "./machine-figures.ts";

const labelCells = 8;

export interface FigureListProps {
  readonly figures: readonly Figure[];
  readonly width: number;
  /** Dims outdated figures. Defaults to false. */
  readonly isStale?: boolean;
}

export function FigureList({ figures, width, isStale = false }: FigureListProps): ReactElement {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {figures.map((figure, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a figure is its place
        <FigureRow key={index} figure={figure} width={width} isStale={isStale} />
      ))}
    </Box>
  );
}

interface FigureRowProps {
  readonly figure: Figure;
  readonly width: number;
  readonly isStale: boolean;
}

function FigureRow({ figure, width, isStale }: FigureRowProps): ReactElement {
  const { glyphs, theme } = useLook();
  const { label, value } = figure;
  if (figure.kind === "state") {
    const room = Math.max(1, width - value.length - 1);
    return (
      <Text wrap="truncate">
        <Text {...theme[isStale ? "dim" : (figure.labelTone ?? "plain")]}>
          {fitText(foreignText(label, glyphs.isAscii), room, glyphs.ellipsis)}
        </Text>{" "}
        <Text {...theme[isStale ? "dim" : figure.tone]}>{value}</Text>
      </Text>
    );
  }
  const shownLabel = label === "" ? "" : label.padEnd(labelCells).slice(0, labelCells);
  if (figure.kind === "text") {
    return (
      <Text wrap="truncate">
        <Text {...theme.dim}>{shownLabel}</Text>
        <Text {...theme[isStale ? "dim" : (figure.tone ?? "plain")]}>{value}</Text>
      </Text>
    );
  }
  const room = Math.max(0, width - labelCells - value.length - 1);
  const old = isStale ? ({ tone: "dim" } as const) : {};
  return (
    <Text wrap="truncate">
      <Text {...theme.dim}>{shownLabel}</Text>
      {figure.kind === "trend" ? (
        <Sparkline values={figure.values} width={room} floor={1} {...old} />
      ) : (
        <Gauge share={figure.share} width={room} {...old} />
      )}{" "}
      <Text {...theme[isStale ? "dim" : "value"]}>{value}</Text>
    </Text>
  );
}

export interface MachineRowsProps {
  /** Oldest first. */
  readonly samples: readonly ServerSample[];
  readonly width: number;
  readonly isStale: boolean;
}

/** Load and memory of the machine; redrawn with a new sample only. */
export const MachineRows = memo(function MachineRows(props: MachineRowsProps): ReactElement {
  const { samples, width, isStale } = props;
  const { glyphs } = useLook();
  return <FigureList figures={machineFigures(samples, glyphs)} width={width} isStale={isStale} />;
});

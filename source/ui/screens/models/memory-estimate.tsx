// The memory that loading a model takes, as bars, with the choices that change it.

import { Text } from "ink";
import type { ReactElement } from "react";
import { formatBytes } from "../../../base/byte-format.ts";
import type { Capacity } from "../../../client/models-capacity.ts";
import { Line } from "../../components/line.tsx";
import { ProgressBar } from "../../components/progress-bar.tsx";
import { TextLine } from "../../components/text-line.tsx";
import { useLook } from "../../hooks/use-look.ts";
import { freeVramBytes, type LoadChoice, type MemoryEstimate } from "./estimate.ts";
import { formatWindow } from "./model-figures.ts";

const labelWidth = 9;
const figureWidth = 9;
const barWidthMaximum = 16;

const fitSentences = {
  gpu: "all layers on the GPU",
  split: "split between GPU and CPU",
  cpu: "on the CPU",
  none: "does not fit",
} as const;

export interface MemoryEstimateProps {
  readonly estimate: MemoryEstimate;
  readonly capacity: Capacity;
  readonly choice: LoadChoice;
  readonly width: number;
}

/** A fragment of rows for a `ScrollPanel`. */
export function memoryEstimateRows(props: MemoryEstimateProps): ReactElement {
  const { estimate, capacity, choice, width } = props;
  const { weightsBytes, cacheBytes, computeBytes, totalBytes, fit, gpuLayers, layers } = estimate;
  const bar = { totalBytes, width };
  return (
    <>
      <TextLine text={titleOf(estimate, capacity)} tone="title" width={width} />
      <BarRow label="weights" bytes={weightsBytes} {...bar} />
      <BarRow label="KV cache" bytes={cacheBytes} {...bar} />
      <BarRow label="compute" bytes={computeBytes} {...bar} />
      <Line
        runs={[
          { text: "total".padEnd(labelWidth), tone: "plain" },
          { text: formatBytes(totalBytes), tone: "value" },
          { text: ` of ${formatBytes(freeBytesFor(estimate, capacity))} free`, tone: "plain" },
        ]}
      />
      <Line
        runs={[
          { text: " ".repeat(labelWidth), tone: "plain" },
          { text: fitSentences[fit], tone: fit === "none" ? "warning" : "plain" },
        ]}
      />
      <Text> </Text>
      <ChoiceRow
        label="Context"
        value={estimate.contextLength}
        isAutomatic={choice.contextLength === undefined}
        keys="+ - ="
      />
      <ChoiceRow
        label="KV cache"
        value={estimate.cacheType}
        isAutomatic={choice.cacheType === undefined}
        keys="t"
      />
      {gpuLayers !== undefined && (
        <Text wrap="truncate">
          {`GPU layers auto: ${gpuLayers < layers ? "about " : ""}${gpuLayers}/${layers}`}
        </Text>
      )}
    </>
  );
}

/** `Memory estimate at 8k context, 2 of 4 slots`. */
function titleOf({ contextLength, slots }: MemoryEstimate, capacity: Capacity): string {
  const title = `Memory estimate at ${formatWindow(contextLength)} context`;
  if (capacity.slots <= 1) return title;
  return `${title}, ${slots === capacity.slots ? slots : `${slots} of ${capacity.slots}`} slots`;
}

/** The memory that the model would go into. */
function freeBytesFor({ fit }: MemoryEstimate, capacity: Capacity): number {
  const vramBytes = freeVramBytes(capacity);
  const isOnGpuAlone = capacity.gpus.length > 0 && fit === "gpu";
  return isOnGpuAlone ? vramBytes : vramBytes + capacity.memory.freeBytes;
}

interface BarRowProps {
  readonly label: string;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly width: number;
}

function BarRow({ label, bytes, totalBytes, width }: BarRowProps): ReactElement {
  const barWidth = Math.max(0, Math.min(barWidthMaximum, width - labelWidth - figureWidth));
  return (
    <Text wrap="truncate">
      {label.padEnd(labelWidth)}
      <ProgressBar fraction={totalBytes > 0 ? bytes / totalBytes : 0} width={barWidth} />
      {formatBytes(bytes).padStart(figureWidth)}
    </Text>
  );
}

interface ChoiceRowProps {
  readonly label: string;
  readonly value: string | number;
  /** The server's own choice. */
  readonly isAutomatic: boolean;
  /** The keys that change it. */
  readonly keys: string;
}

function ChoiceRow({ label, value, isAutomatic, keys }: ChoiceRowProps): ReactElement {
  const { theme } = useLook();
  return (
    <Text wrap="truncate">
      {label.padEnd(labelWidth)}
      <Text {...theme.value}>{`[${value}${isAutomatic ? " auto" : ""}]`}</Text>
      <Text {...theme.key}>{`  ${keys}`}</Text>
    </Text>
  );
}

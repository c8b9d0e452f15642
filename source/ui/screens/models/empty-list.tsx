// The place of a list without entries: what is being read, or what to do.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { useParagraph } from "../../components/paragraph.tsx";
import { useNow } from "../../hooks/use-clock.ts";
import { useLook } from "../../hooks/use-look.ts";
import type { ModelsState } from "./models-state.ts";

/** A shorter wait is not shown. */
const skeletonAfterMs = 150;

const waitingWords = {
  local: "reading manifests",
  hub: "asking the hub",
  running: "asking what is loaded",
} as const;

const emptySentences = {
  local: "No models on this machine. ] searches the hub, p pulls by name.",
  hub: "Type / and some words to search the hub; p pulls by name.",
  running: "Nothing is loaded. [ goes to the models, l loads one.",
} as const;

export interface EmptyListProps {
  readonly state: ModelsState;
  readonly width: number;
}

/** Nothing below an error, and in the first moment of a wait. */
export function EmptyList({ state, width }: EmptyListProps): ReactElement | null {
  const paragraph = useParagraph(width);
  const nowMs = useNow();
  const { waitingSinceMs, value, error } = state[state.source];
  if (waitingSinceMs !== undefined && value === undefined) {
    const isShown = nowMs - waitingSinceMs >= skeletonAfterMs;
    return isShown ? <Skeleton words={waitingWords[state.source]} width={width} /> : null;
  }
  if (error !== undefined && value === undefined) return null;
  const filter = state.lists[state.source].filter.text.trim();
  const sentence =
    filter === "" ? emptySentences[state.source] : `Nothing matches '${filter}'. Esc clears.`;
  return (
    <Box flexDirection="column" marginTop={1} flexShrink={0}>
      {paragraph(sentence)}
    </Box>
  );
}

const skeletonWidths = [18, 24, 14, 20] as const;
const skeletonIndent = 2;

interface SkeletonProps {
  readonly words: string;
  readonly width: number;
}

function Skeleton({ words, width }: SkeletonProps): ReactElement {
  const { glyphs, theme } = useLook();
  const room = Math.max(0, width - skeletonIndent);
  return (
    <>
      <Text {...theme.dim} wrap="truncate">
        {`${glyphs.working} ${words}${glyphs.ellipsis}`}
      </Text>
      {skeletonWidths.map((length) => (
        <Text key={length} {...theme.dim} aria-hidden>
          {" ".repeat(skeletonIndent) + glyphs.box.horizontal.repeat(Math.min(length, room))}
        </Text>
      ))}
    </>
  );
}

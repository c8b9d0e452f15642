// The sources, the open one in brackets, and the field that filters a list or searches the hub.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { TextField } from "../../components/text-field.tsx";
import { useLook } from "../../hooks/use-look.ts";
import { textWidth } from "../../text/graphemes.ts";
import { type ModelsState, sources } from "./models-state.ts";

const titles = { local: "Local", hub: "Hub", running: "Running" } as const;
const fieldWidthMinimum = 4;

export interface SourceBarProps {
  readonly state: Pick<ModelsState, "source" | "lists" | "isTyping">;
  readonly width: number;
}

/** Takes the first row of its panel. */
export function SourceBar({ state, width }: SourceBarProps): ReactElement {
  const { theme } = useLook();
  const { source, isTyping } = state;
  const { filter } = state.lists[source];
  const tabs = sources.map((name) =>
    name === source ? `[${titles[name]}] ` : ` ${titles[name]}  `,
  );
  const label = source === "hub" ? " search: " : " filter: ";
  const left = textWidth(tabs.join("") + label);
  return (
    <Box height={1} flexShrink={0}>
      <Text wrap="truncate">
        {sources.map((name, index) => (
          <Text key={name} {...theme[name === source ? "value" : "dim"]}>
            {tabs[index]}
          </Text>
        ))}
      </Text>
      {(isTyping || filter.text !== "") && (
        <>
          <Text {...theme[isTyping ? "focus" : "dim"]}>{label}</Text>
          <TextField
            field={filter}
            width={Math.max(fieldWidthMinimum, width - left)}
            x={left}
            isFocused={isTyping}
            tone="value"
          />
        </>
      )}
    </Box>
  );
}

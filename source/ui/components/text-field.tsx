// Single-line field. ink-text-input displays the value or the placeholder; the editor handles the keys,
// since ink-text-input breaks emoji, supports few keys and loses keys that arrive in one tick.

import { Box } from "ink";
import TextInput from "ink-text-input";
import type { ReactElement } from "react";
import type { EditorState } from "../editor/editor-state.ts";
import { fieldWindow } from "../editor/line-field.ts";
import { useLook } from "../hooks/use-look.ts";
import { harmlessRow } from "../text/text-run.ts";
import type { Tone } from "../theme.ts";
import { Text } from "./text.tsx";
import { TextCursor } from "./text-cursor.tsx";

export interface TextFieldProps {
  readonly field: Pick<EditorState, "text" | "cursor">;
  /** Cells of the field; a longer value scrolls with the cursor. */
  readonly width: number;
  readonly isFocused?: boolean;
  /** Shown dim in an empty field. */
  readonly placeholder?: string;
  readonly tone?: Tone;
  /** Its first cell from the nearest `Origin`. Defaults to 0, 0. */
  readonly x?: number;
  readonly y?: number;
}

/** Takes no keys itself: `fieldAfterKey` and `fieldAfterText` return its next state. */
export function TextField(props: TextFieldProps): ReactElement {
  const { field, width, isFocused = true, placeholder = "", tone = "plain", x = 0, y = 0 } = props;
  const { theme } = useLook();
  const { text, cursorX } = fieldWindow(field, Math.max(1, width));
  const isEmpty = field.text === "";
  return (
    <Box width={width} height={1} flexShrink={0}>
      <Text {...theme[isEmpty ? "dim" : tone]} wrap="truncate">
        <TextInput
          // The placeholder of ink-text-input is grey in every theme.
          value={harmlessRow(isEmpty ? placeholder : text)}
          focus={false}
          showCursor={false}
          onChange={ignoreChange}
        />
      </Text>
      {isFocused && <TextCursor x={x + cursorX} y={y} />}
    </Box>
  );
}

/** Never called: without the focus ink-text-input takes no keys. */
function ignoreChange(): void {}

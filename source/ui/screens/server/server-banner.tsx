// The banner of the Server screen: a problem with the server, and the keys that help.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { useNow } from "../../hooks/use-clock.ts";
import { useLook } from "../../hooks/use-look.ts";
import { useStore } from "../../hooks/use-store.ts";
import { span } from "../../text/quantities.ts";
import { foreignText } from "../../text/text-run.ts";
import { wrapLine } from "../../text/wrap-line.ts";
import type { Tone } from "../../theme.ts";
import type { ServerSources } from "./server-state.ts";

const rowsMaximum = 3;

const remedyKeys = {
  "next-port": ["p use next free port"],
  "make-key": ["n create key"],
  none: [],
} as const;

export interface Banner {
  readonly text: string;
  readonly tone: Tone;
}

/** @returns undefined if there is no problem */
export function useBanner(sources: ServerSources): Banner | undefined {
  const { glyphs } = useLook();
  const now = useNow();
  const { work, startProblem } = useStore(sources.store, (one) => one);
  const { link } = useStore(sources.watch, (one) => one);
  const host = sources.host();
  const parted = (...parts: string[]) => parts.join(` ${glyphs.separator} `);
  if (work !== undefined) return { text: `${glyphs.working} ${work}`, tone: "plain" };
  if (startProblem !== undefined) {
    const { sentence, remedy } = startProblem;
    const keys = [...remedyKeys[remedy], "o settings", "S retry"];
    const text = parted(`${glyphs.failed} ${sentence}`, ...keys);
    return { text, tone: remedy === "make-key" ? "warning" : "error" };
  }
  if (host.state === "stopped") {
    const text = `${glyphs.idle} The server is stopped`;
    return { text: parted(text, "S start", "o settings"), tone: "warning" };
  }
  if (link.kind === "down") {
    const age = span(now - link.sinceMs);
    const text = `${glyphs.failed} ${link.sentence} Gone for ${age}; reconnecting to ${host.url}`;
    return { text, tone: "error" };
  }
  if (host.warning === undefined) return undefined;
  return { text: parted(`${glyphs.warning} ${host.warning}`, "o settings"), tone: "warning" };
}

/** The text in rows of at most `width` cells. */
export function bannerRows(banner: Banner | undefined, width: number, isAscii: boolean) {
  if (banner === undefined) return [];
  return wrapLine(foreignText(banner.text, isAscii), width)
    .slice(0, rowsMaximum)
    .map(({ text }) => text);
}

export function BannerRows({ rows, tone }: { rows: readonly string[]; tone: Tone }): ReactElement {
  const { theme } = useLook();
  return (
    <Box flexShrink={0} paddingLeft={1}>
      <Text {...theme[tone]}>{rows.join("\n")}</Text>
    </Box>
  );
}

// The banner of the Server screen: a problem with the server, and the keys that help.

import type { LinkState } from "../../live/follow.ts";
import { span } from "../../text/quantities.ts";
import { foreignText } from "../../text/text-run.ts";
import { wrapLine } from "../../text/wrap-line.ts";
import type { Glyphs, Tone } from "../../theme.ts";
import type { HostedServer, ServerState } from "./server-state.ts";

export interface BannerFacts extends Pick<ServerState, "work" | "startProblem"> {
  readonly host: HostedServer;
  readonly link: LinkState;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface Banner {
  readonly text: string;
  readonly tone: Tone;
}

const rowsMaximum = 3;

const remedyKeys = {
  "next-port": ["p takes the next free port"],
  "make-key": ["n makes a key"],
  none: [],
} as const;

/** @returns undefined where all is well */
export function bannerOf(facts: BannerFacts, glyphs: Glyphs): Banner | undefined {
  const { work, startProblem, host, link, now } = facts;
  const parted = (...parts: string[]) => parts.join(` ${glyphs.separator} `);
  if (work !== undefined) return { text: `${glyphs.working} ${work}`, tone: "mark" };
  if (startProblem !== undefined) {
    const { sentence, remedy } = startProblem;
    const keys = [...remedyKeys[remedy], "o settings", "S starts it as it was"];
    const text = parted(`${glyphs.failed} ${sentence}`, ...keys);
    return { text, tone: remedy === "make-key" ? "warning" : "error" };
  }
  if (host.state === "stopped") {
    const text = `${glyphs.idle} The server is stopped`;
    return { text: parted(text, "S starts it", "o settings"), tone: "warning" };
  }
  if (link.kind === "down") {
    const age = span(now - link.sinceMs);
    const text = `${glyphs.failed} ${link.sentence} Gone for ${age}; ${host.url} is asked again and again`;
    return { text, tone: "error" };
  }
  if (host.warning === undefined) return undefined;
  return { text: parted(`${glyphs.warning} ${host.warning}`, "o settings"), tone: "warning" };
}

/** The text in rows of at most `width` cells. */
export function bannerRows(
  banner: Banner | undefined,
  width: number,
  isAscii: boolean,
): readonly string[] {
  if (banner === undefined) return [];
  return wrapLine(foreignText(banner.text, isAscii), width)
    .slice(0, rowsMaximum)
    .map(({ text }) => text);
}

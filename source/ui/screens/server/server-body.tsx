// The body of the Server screen: a banner, panes, the request table and a preview, or one request in full.

import { Box } from "ink";
import type { ReactElement } from "react";
import { span } from "../../../base/quantities.ts";
import type { WatchedServer } from "../../../client/live/server-watch.ts";
import { useParagraph } from "../../components/line.tsx";
import type { BodySize } from "../../frame/screen.ts";
import { useNow } from "../../hooks/use-look.ts";
import { useStore } from "../../hooks/use-store.ts";
import { glyphs, type Tone } from "../../theme.ts";
import { previewRows, RequestDetail, RequestPreview } from "./request-detail.tsx";
import { listRequests } from "./request-list.ts";
import { RequestTable } from "./request-table.tsx";
import { lineRows, paneRows, ServerLines, ServerPanes } from "./server-panes.tsx";
import type { HostedServer, ServerSources, ServerState } from "./server-state.ts";

/** A smaller window shows two lines instead of the panes. */
const paneColumnsMinimum = 100;
const paneBodyMinimum = 20;
/** A window with fewer rows has no preview. */
const previewBodyMinimum = 26;
const tableMinimum = 4;

export interface ServerBodyProps extends BodySize {
  readonly sources: ServerSources;
}

export function ServerBody({ sources, columns, rows }: ServerBodyProps): ReactElement {
  const paragraph = useParagraph(columns - 2);
  const state = useStore(sources.store, (one) => one);
  const selected = useStore(sources.feed, (entries) => listRequests(state, entries).selected);
  const { link } = useStore(sources.watch, (one) => one);
  const banner = bannerOf({ state, link, host: sources.host() }, useNow());
  const lines = banner ? paragraph(banner.text, banner.tone).slice(0, bannerRowsMaximum) : [];
  const hasPanes = columns >= paneColumnsMinimum && rows - lines.length >= paneBodyMinimum;
  const hasPreview = rows >= previewBodyMinimum && selected !== undefined;
  const Figures = hasPanes ? ServerPanes : ServerLines;
  const tableY = lines.length + (hasPanes ? paneRows : lineRows);
  const tableRows = Math.max(tableMinimum, rows - tableY - (hasPreview ? previewRows : 0));
  return (
    <Box flexDirection="column" width={columns}>
      <Box flexDirection="column" flexShrink={0} paddingLeft={1}>
        {lines}
      </Box>
      {state.opened !== undefined ? (
        <RequestDetail
          sources={sources}
          opened={state.opened}
          columns={columns}
          rows={rows - lines.length}
        />
      ) : (
        <>
          <Figures sources={sources} columns={columns} />
          <RequestTable sources={sources} columns={columns} rows={tableRows} y={tableY} />
          {hasPreview && <RequestPreview selected={selected} columns={columns} />}
        </>
      )}
    </Box>
  );
}

const bannerRowsMaximum = 3;

const remedyKeys = {
  "next-port": ["p use next free port"],
  "make-key": ["n create key"],
  none: [],
} as const;

/** A problem with the server, and the keys that help. */
interface Banner {
  readonly text: string;
  readonly tone: Tone;
}

interface BannerFacts {
  readonly state: Pick<ServerState, "work" | "startProblem">;
  readonly link: WatchedServer["link"];
  readonly host: HostedServer;
}

/**
 * @param now milliseconds since 1970; undefined leaves out ages, which change all the time
 * @returns undefined if there is no problem
 */
export function bannerOf(facts: BannerFacts, now: number | undefined): Banner | undefined {
  const { link, host } = facts;
  const { work, startProblem } = facts.state;
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
    const age =
      now === undefined ? "Reconnecting" : `Down for ${span(now - link.sinceMs)}; reconnecting`;
    const text = `${glyphs.failed} ${link.sentence} ${age} to ${host.url}`;
    return { text, tone: "error" };
  }
  if (host.warning === undefined) return undefined;
  return { text: parted(`${glyphs.warning} ${host.warning}`, "o settings"), tone: "warning" };
}

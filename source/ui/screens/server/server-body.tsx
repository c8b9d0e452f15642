// The body of the Server screen: a banner, panes, the request table and a preview, or one request in full.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { rate, span } from "../../../base/quantities.ts";
import { wrapLine } from "../../../base/wrap-line.ts";
import { readingText } from "../../../client/requests.ts";
import type { RequestRecord } from "../../../request-log/request-record.ts";
import type { BodySize } from "../../frame/screen.ts";
import { useLook, useNow } from "../../hooks/use-look.ts";
import { useStore } from "../../hooks/use-store.ts";
import { harmlessRow } from "../../text/text-run.ts";
import { glyphs, type Tone } from "../../theme.ts";
import { previewRows, RequestDetail, RequestPreview } from "./request-detail.tsx";
import { listRequests } from "./request-list.ts";
import { RequestTable } from "./request-table.tsx";
import { lineRows, paneRows, ServerLines, ServerPanes } from "./server-panes.tsx";
import type { ServerSources } from "./server-state.ts";

/** A smaller window shows two lines instead of the panes. */
const paneColumnsMinimum = 100;
const paneBodyMinimum = 20;
/** A window with fewer rows has no preview. */
const previewBodyMinimum = 26;
const tableMinimum = 4;

export interface ServerBodyProps extends BodySize {
  readonly sources: ServerSources;
}

export function ServerBody({ sources, ...size }: ServerBodyProps): ReactElement {
  if (useLook().layout === "reader") return <ServerSummary sources={sources} />;
  return <ServerWindow sources={sources} {...size} />;
}

function ServerWindow({ sources, columns, rows }: ServerBodyProps): ReactElement {
  const { theme } = useLook();
  const state = useStore(sources.store, (one) => one);
  const selected = useStore(sources.feed, (entries) => listRequests(state, entries).selected);
  const banner = useBanner(sources);
  const lines = bannerRows(banner, columns - 2);
  const hasPanes = columns >= paneColumnsMinimum && rows - lines.length >= paneBodyMinimum;
  const hasPreview = rows >= previewBodyMinimum && selected !== undefined;
  const Figures = hasPanes ? ServerPanes : ServerLines;
  const tableY = lines.length + (hasPanes ? paneRows : lineRows);
  const tableRows = Math.max(tableMinimum, rows - tableY - (hasPreview ? previewRows : 0));
  return (
    <Box flexDirection="column" width={columns}>
      {banner !== undefined && (
        <Box flexShrink={0} paddingLeft={1}>
          <Text {...theme[banner.tone]}>{lines.join("\n")}</Text>
        </Box>
      )}
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

/** Draws the changing figures for screen readers, below the ended requests. */
function ServerSummary({ sources }: Pick<ServerBodyProps, "sources">): ReactElement {
  const banner = useBanner(sources);
  const state = useStore(sources.store, (one) => one);
  const selected = useStore(sources.feed, (entries) => listRequests(state, entries).selected);
  const { samples } = useStore(sources.watch, (one) => one);
  const sample = samples.at(-1);
  const server = banner?.text ?? sources.host().url;
  return (
    <Box flexDirection="column">
      <Text>{`Server: ${harmlessRow(server)}`}</Text>
      {sample !== undefined && (
        <Text>
          {sample.running} running, {sample.waiting} waiting, {rate(sample.tokensPerSecond)} tok/s
          {sample.isRecording && ", recording prompts"}
        </Text>
      )}
      <Text>{`Filter: ${state.field?.editor.text ?? state.filters.text}`}</Text>
      {selected !== undefined && <Text>{harmlessRow(`Selected: ${selectedText(selected)}`)}</Text>}
    </Box>
  );
}

function selectedText(view: RequestRecord): string {
  const reading = readingText(view);
  return `${view.id} ${view.method} ${view.path}${reading === undefined ? "" : `, ${reading}`}`;
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

/** @returns undefined if there is no problem */
function useBanner(sources: ServerSources): Banner | undefined {
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
    const text = `${glyphs.failed} ${link.sentence} Down for ${age}; reconnecting to ${host.url}`;
    return { text, tone: "error" };
  }
  if (host.warning === undefined) return undefined;
  return { text: parted(`${glyphs.warning} ${host.warning}`, "o settings"), tone: "warning" };
}

/** Wraps the text into rows of at most `width` cells. */
function bannerRows(banner: Banner | undefined, width: number) {
  if (banner === undefined) return [];
  return wrapLine(harmlessRow(banner.text), width)
    .slice(0, bannerRowsMaximum)
    .map(({ text }) => text);
}

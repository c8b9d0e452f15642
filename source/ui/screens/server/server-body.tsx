// The body of the Server screen: panes, the request table and a preview, or one request in full.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import type { BodySize } from "../../frame/screen.ts";
import { useLayout } from "../../hooks/use-layout.ts";
import { useLook } from "../../hooks/use-look.ts";
import { useStore } from "../../hooks/use-store.ts";
import { rate } from "../../text/quantities.ts";
import { foreignText } from "../../text/text-run.ts";
import { previewRows, RequestDetail, RequestPreview } from "./request-detail.tsx";
import { listRequests } from "./request-list.ts";
import { RequestTable } from "./request-table.tsx";
import { BannerRows, bannerRows, useBanner } from "./server-banner.tsx";
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
  if (useLayout() === "reader") return <ServerSummary sources={sources} />;
  return <ServerWindow sources={sources} {...size} />;
}

function ServerWindow({ sources, columns, rows }: ServerBodyProps): ReactElement {
  const { glyphs } = useLook();
  const state = useStore(sources.store, (one) => one);
  const hasRequests = useStore(
    sources.feed,
    (entries) => listRequests(state, entries).selected !== undefined,
  );
  const banner = useBanner(sources);
  const lines = bannerRows(banner, columns - 2, glyphs.isAscii);
  const hasPanes = columns >= paneColumnsMinimum && rows - lines.length >= paneBodyMinimum;
  const hasPreview = rows >= previewBodyMinimum && hasRequests;
  const Figures = hasPanes ? ServerPanes : ServerLines;
  const tableY = lines.length + (hasPanes ? paneRows : lineRows);
  const tableRows = Math.max(tableMinimum, rows - tableY - (hasPreview ? previewRows : 0));
  return (
    <Box flexDirection="column" width={columns}>
      {banner !== undefined && <BannerRows rows={lines} tone={banner.tone} />}
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
          {hasPreview && <RequestPreview sources={sources} columns={columns} />}
        </>
      )}
    </Box>
  );
}

/** The changing figures in a few lines, for screen readers, below the finished requests. */
function ServerSummary({ sources }: Pick<ServerBodyProps, "sources">): ReactElement {
  const { glyphs } = useLook();
  const banner = useBanner(sources);
  const state = useStore(sources.store, (one) => one);
  const selected = useStore(sources.feed, (entries) => listRequests(state, entries).selected);
  const { samples } = useStore(sources.watch, (one) => one);
  const sample = samples.at(-1);
  const server = banner?.text ?? sources.host().url;
  return (
    <Box flexDirection="column">
      <Text>{`Server: ${foreignText(server, glyphs.isAscii)}`}</Text>
      {sample !== undefined && (
        <Text>
          {sample.running} running, {sample.waiting} waiting, {rate(sample.tokensPerSecond)} tok/s
          {sample.isRecording && ", recording prompts"}
        </Text>
      )}
      <Text>{`Filter: ${state.field?.text ?? state.filters.text}`}</Text>
      {selected !== undefined && (
        <Text>
          {foreignText(`Selected: ${selected.id} ${selected.method} ${selected.path}`, true)}
        </Text>
      )}
    </Box>
  );
}

// A request in full, and the summary of the selected one below the table.

import { memo, type ReactElement, useEffect, useMemo } from "react";
import type { RequestRecord } from "../../../request-log/request-record.ts";
import { Lines } from "../../components/line.tsx";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { useStore } from "../../hooks/use-store.ts";
import { glyphs } from "../../theme.ts";
import { currentRequest } from "./request-list.ts";
import { requestLines, summaryLines } from "./request-text.ts";
import { type ServerSources, textsOf } from "./server-state.ts";

/** Borders, parameters, phases. */
export const previewRows = 6;

export interface RequestDetailProps {
  readonly sources: ServerSources;
  readonly opened: RequestRecord;
  readonly columns: number;
  readonly rows: number;
}

/** Follows the request while it is answered. */
export const RequestDetail = memo(function RequestDetail(props: RequestDetailProps): ReactElement {
  const { sources, opened, columns, rows } = props;
  const { store, feed, extent } = sources;
  const { top, isWrapped, read } = useStore(store, (one) => one);
  const view = useStore(feed, (entries) => currentRequest(entries, opened));
  const texts = textsOf(read, view);
  const width = panelInnerWidth(columns);
  const lines = useMemo(
    () => requestLines(view, texts, { width, isWrapped }),
    [view, texts, width, isWrapped],
  );
  const height = panelInnerHeight(rows);
  useEffect(() => {
    extent.current = { rows: height, lastTop: Math.max(0, lines.length - height) };
  }, [extent, height, lines]);
  const end = Math.min(lines.length, top + height);
  const footer = lines.length > height ? `rows ${top + 1} to ${end} of ${lines.length}` : "";
  return (
    <Panel width={columns} height={rows} title={`Request ${view.id}`} footer={footer} isFocused>
      <Lines rows={lines} from={top} to={end} />
    </Panel>
  );
});

interface RequestPreviewProps {
  readonly selected: RequestRecord;
  readonly columns: number;
}

export function RequestPreview({ selected, columns }: RequestPreviewProps): ReactElement {
  const width = panelInnerWidth(columns);
  const lines = summaryLines(selected, { width, isWrapped: false });
  const title = `${selected.id} ${glyphs.separator} Enter open`;
  return (
    <Panel width={columns} height={previewRows} title={title}>
      <Lines rows={lines} to={panelInnerHeight(previewRows)} />
    </Panel>
  );
}

// The columns of the table of deployments.

import { formatMilliseconds } from "../../../base/time-format.ts";
import type { AppDocument } from "../../../cloud/admin/documents.ts";
import { foreignSpan } from "../../panes/styled-row.ts";
import type { Column } from "../../panes/table.ts";
import { percentage, rate } from "../../text/quantities.ts";
import type { Glyphs } from "../../theme.ts";
import { type AppFigures, nameOf } from "./app-figures.ts";
import { appStateSpan } from "./state-words.ts";

export interface AppColumnOptions {
  readonly glyphs: Glyphs;
  /** The server's own: it is not told with every name. */
  readonly organisation: string | undefined;
  readonly figuresOf: (name: string) => AppFigures;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export function appColumns(options: AppColumnOptions): readonly Column<AppDocument>[] {
  const { glyphs, figuresOf, now } = options;
  const figure = (
    title: string,
    width: number,
    rank: number,
    value: (app: AppDocument, figures: AppFigures) => string | undefined,
  ): Column<AppDocument> => ({
    title,
    width,
    rank,
    align: "right",
    cell: (app) => ({ text: value(app, figuresOf(nameOf(app))) ?? "-", tone: "plain" }),
  });
  return [
    {
      title: "NAME",
      width: 12,
      isFlexible: true,
      cell: (app) => {
        const name = shownName(app, options.organisation);
        // It lives as long as the command that runs it.
        const text = app.isEphemeral ? `${name} (run)` : name;
        return foreignSpan(text, "plain", glyphs.isAscii);
      },
    },
    { title: "STATUS", width: 11, cell: ({ state }) => appStateSpan(state, glyphs) },
    figure("REPLICAS", 8, 0, (app) => replicaCount(app, glyphs)),
    figure("REQ/S", 6, 1, (_, { requestsPerSecond }) => shownRate(requestsPerSecond)),
    figure("BUSY", 4, 2, ({ inFlight }) => String(inFlight)),
    figure("QUEUE", 5, 3, ({ queued }) => String(queued)),
    figure("TTFB p95", 8, 4, (_, { ttfbMsP95 }) =>
      ttfbMsP95 === undefined ? undefined : formatMilliseconds(ttfbMsP95),
    ),
    figure("ERR", 4, 1, (_, { errorShare }) =>
      errorShare === undefined ? undefined : percentage(errorShare),
    ),
    {
      title: "REVISION",
      width: 8,
      rank: 2,
      cell: ({ activeRevision }) =>
        foreignSpan(shortRevision(activeRevision) ?? "-", "plain", glyphs.isAscii),
    },
    figure("AGE", 5, 3, ({ createdAt }) => shortAge(now - createdAt)),
  ];
}

/** Without the organisation that goes without saying. */
export function shownName(
  app: { organisation: string; app: string },
  organisation: string | undefined,
): string {
  return app.organisation === organisation ? app.app : nameOf(app);
}

/** `r0007` of `r0007-1a2b3c4d`. */
export function shortRevision(revision: string | undefined): string | undefined {
  return revision?.split("-")[0];
}

/** `45s`, `12m`, `3h`, `9d`. */
export function shortAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** Ready of at most; where it grows, from what to what. */
function replicaCount({ replicas, scale }: AppDocument, glyphs: Glyphs): string {
  const { wanted, alive, ready } = replicas;
  if (alive < wanted) return `${alive}${glyphs.arrow}${wanted}`;
  return `${ready}/${scale.maxConcurrency}`;
}

function shownRate(perSecond: number | undefined): string | undefined {
  return perSecond === undefined ? undefined : rate(perSecond);
}

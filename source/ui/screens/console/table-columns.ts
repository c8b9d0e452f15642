// The columns of the tables of deployments and of keys.

import { formatMilliseconds } from "../../../base/time-format.ts";
import type { AppDocument, KeyDocument } from "../../../cloud/admin/documents.ts";
import type { Column } from "../../components/table.tsx";
import { percentage, rate } from "../../text/quantities.ts";
import { foreignRun, type TextRun } from "../../text/text-run.ts";
import type { Glyphs } from "../../theme.ts";
import type { AppFigures } from "./app-figures.ts";
import {
  appStateRun,
  keyName,
  lastUse,
  nameOf,
  shortAge,
  shortRevision,
  shownName,
} from "./console-texts.ts";

export interface AppColumnOptions {
  readonly glyphs: Glyphs;
  /** The server's own organisation: names are shown without it. */
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
        return foreignRun(text, "plain", glyphs.isAscii);
      },
    },
    { title: "STATUS", width: 11, cell: ({ state }) => appStateRun(state, glyphs) },
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
        foreignRun(shortRevision(activeRevision) ?? "-", "plain", glyphs.isAscii),
    },
    figure("AGE", 5, 3, ({ createdAt }) => shortAge(now - createdAt)),
  ];
}

/** @param now milliseconds since 1970 */
export function keyColumns(glyphs: Glyphs, now: number): readonly Column<KeyDocument>[] {
  const text = (value: string) => foreignRun(value, "plain", glyphs.isAscii);
  return [
    { title: "NAME", width: 10, isFlexible: true, cell: (key) => text(keyName(key)) },
    {
      title: "KEY",
      width: 6,
      rank: 2,
      cell: ({ id }) => text(`${glyphs.ellipsis}${id.slice(-3)}`),
    },
    { title: "SCOPE", width: 8, rank: 1, cell: ({ scope }) => text(scope) },
    { title: "APPS", width: 10, rank: 3, cell: ({ apps }) => text(apps.join(",") || "all") },
    { title: "STATE", width: 10, cell: (key) => keyStateRun(key, glyphs, now) },
    { title: "USED", width: 5, align: "right", rank: 1, cell: (key) => text(lastUse(key, now)) },
    {
      title: "LIMIT",
      width: 6,
      align: "right",
      rank: 4,
      cell: ({ requestsPerMinute: limit }) => text(limit === undefined ? "none" : `${limit}/m`),
    },
  ];
}

/** Ready of at most; while it grows, from what to what. */
function replicaCount({ replicas, scale }: AppDocument, glyphs: Glyphs): string {
  const { wanted, alive, ready } = replicas;
  if (alive < wanted) return `${alive}${glyphs.arrow}${wanted}`;
  return `${ready}/${scale.maxConcurrency}`;
}

function shownRate(perSecond: number | undefined): string | undefined {
  return perSecond === undefined ? undefined : rate(perSecond);
}

/** A key that expires, after a rotation say, tells when. */
function keyStateRun({ state, expiresAt }: KeyDocument, glyphs: Glyphs, now: number): TextRun {
  if (state !== "active") return { text: `${glyphs.stopped} ${state}`, tone: "dim" };
  if (expiresAt === undefined) return { text: `${glyphs.ready} active`, tone: "good" };
  return { text: `${glyphs.ready} ${shortAge(expiresAt - now)} left`, tone: "warning" };
}

// Everything that is known of one deployment, for reading.

import { formatRelativeTime } from "../../../base/relative-time.ts";
import { toOneLine } from "../../../base/seen-text.ts";
import { formatMilliseconds } from "../../../base/time-format.ts";
import type {
  AppDetails,
  ReplicaDocument,
  RevisionDocument,
} from "../../../cloud/admin/documents.ts";
import type { StyledRow } from "../../frame/screen.ts";
import { foreignSpan, textRow } from "../../panes/styled-row.ts";
import { neutraliseLine } from "../../text/neutralise.ts";
import { wrapLine } from "../../text/wrap-line.ts";
import type { Glyphs } from "../../theme.ts";
import { appStateWord, replicaStateWord } from "./state-words.ts";

export interface DetailsFacts {
  readonly details: AppDetails;
  /** Newest first. */
  readonly revisions: readonly RevisionDocument[];
  readonly replicas: readonly ReplicaDocument[];
  /** Lines to paste. */
  readonly callLines: readonly string[];
}

const labelWidth = 12;

export function detailsRows(
  facts: DetailsFacts,
  { width, now, glyphs }: { width: number; now: number; glyphs: Glyphs },
): StyledRow[] {
  return detailsLines(facts, now).flatMap(([label, text]): StyledRow[] => {
    if (text === undefined) return [textRow(label, "heading")];
    const room = Math.max(1, width - labelWidth);
    const pieces = wrapLine(neutraliseLine(toOneLine(text), glyphs.isAscii), room);
    return pieces.map((piece, index) => [
      { text: (index === 0 ? label : "").padEnd(labelWidth), tone: "dim" },
      foreignSpan(piece.text, "plain", glyphs.isAscii),
    ]);
  });
}

/** A label and its text; a label alone is a heading. */
export function detailsLines(
  { details, revisions, replicas, callLines }: DetailsFacts,
  now: number,
): (readonly [label: string, text: string | undefined])[] {
  const { scale, overrides, revision, rollout } = details;
  const { config } = revision ?? {};
  const ended = replicas.filter(({ exit }) => exit !== undefined);
  return [
    ["State", `${appStateWord(details.state)}${details.reason ? `: ${details.reason}` : ""}`],
    ["URL", details.url],
    ["Access", details.auth],
    [
      "Replicas",
      `${scale.minConcurrency} to ${scale.maxConcurrency}, each ${scale.maxMultiplexing} requests at a time; idle ones stay ${formatMilliseconds(scale.keepAliveMs)}`,
    ],
    ...(overrides.length === 0
      ? []
      : [["", `set here, not by the script: ${overrides.join(", ")}`] as const]),
    ...(rollout === undefined
      ? []
      : [
          [
            "Rollout",
            `to ${rollout.revision} since ${formatRelativeTime(rollout.since, now)}`,
          ] as const,
        ]),
    ...(config === undefined
      ? []
      : [
          [
            "Starts",
            `port ${config.exposedPort}, ready at ${config.healthPath}, within ${formatMilliseconds(config.limits.startupTimeoutMs)}`,
          ] as const,
          [
            "Hardware",
            `${config.hardware.machineType ?? "any machine"}, ${config.hardware.gpuCount} GPUs`,
          ] as const,
          ["Variables", Object.keys(config.environment).join(", ") || "none"] as const,
          ["Secrets", config.secretNames.join(", ") || "none"] as const,
        ]),
    ["", ""],
    ["Revisions", undefined],
    ...revisions.map(
      (one) =>
        [
          one.revision.split("-")[0] ?? "",
          [
            one.revision === details.activeRevision ? "active" : one.state.toLowerCase(),
            formatRelativeTime(one.createdAt, now),
            ...(one.isPinned ? ["pinned"] : []),
            ...[one.reason ?? one.message ?? ""].filter(Boolean),
          ].join(", "),
        ] as const,
    ),
    ...(ended.length === 0 ? [] : [["", ""] as const, ["Ended replicas", undefined] as const]),
    ...ended.flatMap(({ replica, state, exit }) => [
      [replica.slice(-8), `${replicaStateWord(state)}: ${exit?.sentence ?? ""}`] as const,
      ...(exit?.tail ?? []).map((line) => ["", `| ${line}`] as const),
    ]),
    ["", ""],
    ["Calling it", undefined],
    ...callLines.map((line) => ["", line] as const),
  ];
}

// The console for ears: a line for each deployment that changes with its state, and each event once.

import { toOneLine } from "../../../base/seen-text.ts";
import type { AppDocument, EventDocument } from "../../../cloud/admin/documents.ts";
import { neutraliseLine } from "../../text/neutralise.ts";
import { shortRevision, shownName } from "./app-columns.ts";
import { logLineText } from "./log-rows.ts";
import type { LogView } from "./log-view.ts";
import { timeOfDay } from "./replica-rows.ts";
import { appStateWord } from "./state-words.ts";

/** Lines of the log that are read out, where one listens to it. */
const spokenLines = 20;

/** Rates change all the time: they are not read out. */
export function spokenApp(app: AppDocument, organisation: string | undefined): string {
  const { replicas, scale, activeRevision, state, reason } = app;
  const parts = [
    `${shownName(app, organisation)}: ${appStateWord(state)}`,
    `${replicas.ready} of at most ${scale.maxConcurrency} replicas ready`,
    `revision ${shortRevision(activeRevision) ?? "none"}`,
    ...(reason === undefined ? [] : [reason]),
  ];
  return harmless(parts.join(", "));
}

export function spokenEvent({ at, app, sentence }: EventDocument): string {
  return harmless(`${timeOfDay(at)} ${app}: ${sentence}`);
}

export function spokenLog(log: LogView): string[] {
  return log.window(spokenLines).map(({ line }) => harmless(logLineText(line)));
}

function harmless(text: string): string {
  return neutraliseLine(toOneLine(text), true).replaceAll("\t", " ");
}

// Exit of a replica on a Ray cluster, from the wrapper's report or from what Serve says.
import type { ReplicaExit } from "../engine.ts";
import { asSentence, explainExit } from "../exit-reason.ts";
import { type ReplicaMarker, splitMarker } from "../replica-marker.ts";

export interface ExitReport extends Pick<ReplicaMarker, "code" | "signal" | "reason" | "sentence"> {
  tail: string[];
}

const report = /@deployctl \{"phase": ?"exited".*/;

/** Finds the wrapper's report in Serve's message about a failed start. */
export function readReport(message: string): ExitReport | undefined {
  const [line] = report.exec(message) ?? [];
  if (line === undefined) return undefined;
  const marker = splitMarker(line)?.marker;
  return marker && { ...marker, tail: tailOf(line) };
}

/** @param ending last marker of the runner in the log */
export function exitOf(
  { code, signal, reason, sentence, tail }: ExitReport,
  ending: ReplicaMarker | undefined,
): ReplicaExit {
  if (reason !== undefined && sentence !== undefined) {
    return { code, signal, reason, sentence: asSentence(sentence), tail };
  }
  const facts = { code, signal, ending, tail, cause: undefined, memoryRanOut: false };
  return explainExit(facts);
}

/** Returns Serve's reason for a failed start, which is the last line of a traceback. */
export function lastLine(message: string): string {
  const lines = message.split("\n").filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? "Serve names no reason").trim().slice(0, 300);
}

function tailOf(line: string): string[] {
  const { tail }: { tail?: unknown } = JSON.parse(line.slice(line.indexOf("{")));
  return Array.isArray(tail) ? tail.map(String) : [];
}

// Markers of runner.py, printed between the script's lines: `@deployctl {json}`.
import { parseJson } from "../../base/json.ts";

const sign = "@deployctl {";
const phases = [
  "importing",
  "calling",
  /** The target has returned. */
  "returned",
  /** The target has returned, and a server or thread keeps running. */
  "holding",
  /** The remaining server or thread has ended. */
  "ended",
  "terminating",
  "failed",
  /** Sent by the wrapper on a cluster: the server answers. */
  "ready",
  /** Sent by the wrapper on a cluster: the runner's process has exited. */
  "exited",
] as const;

export interface ReplicaMarker {
  phase: (typeof phases)[number];
  /** Milliseconds since 1970. */
  at: number | undefined;
  /**
   * Set for "returned" and "ended": the last program that the script waited for, and its exit code
   * (negative: a signal).
   */
  program: string | undefined;
  code: number | undefined;
  /** Name of the signal that ended the runner, set for "exited". */
  signal: string | undefined;
  /** Set for "failed" and "exited". */
  reason: string | undefined;
  sentence: string | undefined;
  /** Script or target, set for "importing" and "calling". */
  subject: string | undefined;
}

/**
 * Finds a marker in a line, after output of the script without a newline.
 *
 * @returns undefined when there is none
 */
export function splitMarker(line: string): { before: string; marker: ReplicaMarker } | undefined {
  const start = line.lastIndexOf(sign);
  if (start < 0) return undefined;
  const marker = readMarker(parseJson(line.slice(start + sign.length - 1)));
  return marker && { before: line.slice(0, start), marker };
}

/** @returns undefined for anything but a marker */
export function readMarker(value: unknown): ReplicaMarker | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields: Record<string, unknown> = { ...value };
  const phase = phases.find((name) => name === fields.phase);
  if (phase === undefined) return undefined;
  return {
    phase,
    at: numberOf(fields.at),
    program: textOf(fields.program),
    code: numberOf(fields.code),
    signal: textOf(fields.signal),
    reason: textOf(fields.reason),
    sentence: textOf(fields.sentence),
    subject: textOf(fields.script) ?? textOf(fields.target) ?? textOf(fields.subject),
  };
}

/** Formats the marker as a log line. */
export function describeMarker(marker: ReplicaMarker): string {
  const { phase, subject, program, code, sentence } = marker;
  switch (phase) {
    case "importing":
    case "calling":
      return `${phase} ${subject ?? "the script"}`;
    case "returned":
      return program === undefined
        ? "the function returned"
        : `the function returned; ${describeEnd(program, code)}`;
    case "holding":
      return "the function returned and its server keeps running";
    case "ended":
      return program === undefined ? "its server exited" : describeEnd(program, code);
    case "terminating":
      return "received a signal to stop";
    case "failed":
      return `failed: ${sentence ?? "see the log"}`;
    case "ready":
      return "ready";
    case "exited":
      return describeEnd("the runner", code);
  }
}

/** Returns a clause such as "vllm exited with code 1". */
export function describeEnd(program: string, code: number | undefined): string {
  if (code === undefined) return `${program} exited`;
  return code < 0
    ? `${program} was killed by signal ${-code}`
    : `${program} exited with code ${code}`;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

// What runner.py tells about a replica, as lines between those of the script: `@deployctl {json}`.

const sign = "@deployctl {";
const phases = [
  "importing",
  "calling",
  /** The target has. */
  "returned",
  /** It has returned, and something of it lives on. */
  "holding",
  /** What lived on has ended. */
  "ended",
  "terminating",
  "failed",
] as const;

export interface RunnerMarker {
  phase: (typeof phases)[number];
  /** Milliseconds since 1970. */
  at: number | undefined;
  /** Of "returned" and "ended": the last program that the script waited for, and how it ended (negative: a signal). */
  program: string | undefined;
  code: number | undefined;
  /** Of "failed". */
  reason: string | undefined;
  sentence: string | undefined;
  /** Of "importing" and "calling": what. */
  subject: string | undefined;
}

/**
 * Finds a marker in a line; the script's own unfinished text may stand before it.
 *
 * @returns undefined when there is none
 */
export function splitMarker(line: string): { before: string; marker: RunnerMarker } | undefined {
  const start = line.lastIndexOf(sign);
  if (start < 0) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line.slice(start + sign.length - 1));
  } catch {
    return undefined; // the script may print what it likes
  }
  const marker = readMarker(value);
  return marker && { before: line.slice(0, start), marker };
}

/** @returns undefined for anything else than a marker */
export function readMarker(value: unknown): RunnerMarker | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields: Record<string, unknown> = { ...value };
  const phase = phases.find((name) => name === fields.phase);
  if (phase === undefined) return undefined;
  return {
    phase,
    at: numberOf(fields.at),
    program: textOf(fields.program),
    code: numberOf(fields.code),
    reason: textOf(fields.reason),
    sentence: textOf(fields.sentence),
    subject: textOf(fields.script) ?? textOf(fields.target) ?? textOf(fields.subject),
  };
}

/** The marker as a line of the log. */
export function describeMarker(marker: RunnerMarker): string {
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
      return "the function returned and its server lives on";
    case "ended":
      return program === undefined ? "its server ended" : describeEnd(program, code);
    case "terminating":
      return "ending, as asked";
    case "failed":
      return `failed: ${sentence ?? "the log tells why"}`;
  }
}

/** "vllm ended with code 1" */
export function describeEnd(program: string, code: number | undefined): string {
  if (code === undefined) return `${program} ended`;
  return code < 0
    ? `${program} was ended by signal ${-code}`
    : `${program} ended with code ${code}`;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

// Record of one log line: JSON, with the offsets at which a new control plane resumes.
import type { LogLine } from "../engine.ts";
import { type RunnerMarker, readMarker } from "../runner-marker.ts";

/** Bytes of a replica's raw output that are in the log, for each of its files. */
export interface RawOffsets {
  stdout: number;
  stderr: number;
}

export interface LineRecord {
  line: LogLine;
  /** Offsets after this line. */
  offsets: RawOffsets;
  /** Runner marker behind a line of stream "event". */
  marker?: RunnerMarker | undefined;
}

/** Field names are those that users see in the files. */
export function writeLine({ line, offsets, marker }: LineRecord): string {
  const { ts, organisation: org, app, revision: rev, replica, stream, seq, text } = line;
  const at = [offsets.stdout, offsets.stderr];
  return `${JSON.stringify({ ts, org, app, rev, replica, stream, seq, text, at, marker })}\n`;
}

/** @returns undefined for a line that a crash has truncated */
export function readLine(json: string): LineRecord | undefined {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const { ts, org, app, rev, replica, stream, seq, text, at, marker } = value ?? {};
  if (typeof ts !== "number" || typeof seq !== "number" || typeof text !== "string") {
    return undefined;
  }
  if (stream !== "stdout" && stream !== "stderr" && stream !== "event") return undefined;
  const [stdout, stderr] = Array.isArray(at) ? at.map(Number) : [];
  return {
    line: {
      ts,
      organisation: String(org),
      app: String(app),
      revision: String(rev),
      replica: String(replica),
      stream,
      seq,
      text,
    },
    offsets: { stdout: stdout ?? 0, stderr: stderr ?? 0 },
    marker: readMarker(marker),
  };
}

// Output of a replica on another node, fetched into a file of this machine. Ray gives the last lines
// of a file, so that each look overlaps with the one before.
import { appendFileSync, existsSync, readFileSync } from "node:fs";

export interface RemoteOutputOptions {
  /** File of this machine that gets the lines. */
  file: string;
  /** Returns the last lines of the remote file; undefined if they cannot be read now. */
  fetchLast: (lines: number) => Promise<string | undefined>;
}

/** Lines of one look; output that arrives faster is lost between two looks. */
const lookLines = 2_000;
/** Lines that are remembered to find the overlap. */
const knownLines = 4_000;
/** Lines of Ray itself, in the files of its workers. */
const linesOfRay =
  /^(?::(?:job_id|actor_name|task_name):|(?:DEBUG|INFO|WARNING|ERROR) \d{4}-\d\d-\d\d [\d:,]+ \S+ \S+ .*-- )/;

export class RemoteOutput {
  readonly #options: RemoteOutputOptions;
  #known: string[];

  /** Continues after what an earlier control plane has fetched. */
  constructor(options: RemoteOutputOptions) {
    this.#options = options;
    const { file } = options;
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    this.#known = linesOf(text).slice(-knownLines);
  }

  /** @param isFinal no more output follows, so an incomplete last line counts */
  async collect(isFinal: boolean): Promise<void> {
    const text = await this.#options.fetchLast(lookLines);
    if (text === undefined) return;
    const whole = isFinal && text !== "" && !text.endsWith("\n") ? `${text}\n` : text;
    const lines = linesOf(whole).filter((line) => !linesOfRay.test(line));
    const added = newLines(this.#known, lines);
    if (added.length === 0) return;
    this.#known = [...this.#known, ...added].slice(-knownLines);
    appendFileSync(this.#options.file, `${added.join("\n")}\n`, { mode: 0o600 });
  }
}

/** Returns the lines that follow the known ones; all of them if nothing overlaps. */
export function newLines(known: readonly string[], lines: readonly string[]): string[] {
  for (let overlap = Math.min(known.length, lines.length); overlap > 0; overlap -= 1) {
    const start = known.length - overlap;
    if (lines.slice(0, overlap).every((line, index) => line === known[start + index])) {
      return lines.slice(overlap);
    }
  }
  return [...lines];
}

/** Returns complete lines. */
function linesOf(text: string): string[] {
  const lines = text.split("\n");
  lines.pop();
  return lines;
}

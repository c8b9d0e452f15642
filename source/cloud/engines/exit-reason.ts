// Exit of a replica: a stable reason and a sentence, from its exit code, its last marker and its
// last lines.
import type { ReplicaExit } from "./engine.ts";
import { describeEnd, type ReplicaMarker } from "./replica-marker.ts";

export interface ExitFacts {
  /**
   * Undefined for a replica of an earlier control plane: only a process's parent learns its exit
   * code.
   */
  code: number | undefined;
  signal: string | undefined;
  /** Known cause that overrides the exit code, such as our own stop. */
  cause: ExitCause | undefined;
  /** Last marker of the runner. */
  ending: ReplicaMarker | undefined;
  /** True when the kernel killed processes for lack of memory during the replica's life. */
  memoryRanOut: boolean;
  tail: string[];
  /** Program that listens on the port of `takenPort`, if known. */
  holder?: string | undefined;
}

export interface ExitCause {
  reason: "stopped" | "startup_timeout" | "port_conflict" | "lost" | "spawn_failed";
  sentence: string;
}

interface Explanation extends Pick<ReplicaExit, "reason" | "sentence"> {
  /** Port of a conflict. */
  port?: number | undefined;
}

interface Trace {
  expression: RegExp;
  reason: string;
  sentence: (found: RegExpExecArray, facts: Pick<ExitFacts, "holder">) => string;
}

const missingModule = ([, name = ""]: RegExpExecArray) =>
  `The Python module ${name} is not installed in its environment. ` +
  `Add it with --requirement ${requirementOf(name)}.`;

/** Messages that processes write before they exit; searched for in the last lines. */
const traces: readonly Trace[] = [
  {
    expression:
      /CUDA out of memory|CUDA error: out of memory|torch\.(?:cuda\.)?OutOfMemoryError|cudaMalloc failed: out of memory|No available memory for the cache blocks|Free memory on device .* is less than desired/,
    reason: "out_of_memory",
    sentence: () => "Not enough GPU memory.",
  },
  {
    expression: /^MemoryError\b|std::bad_alloc|Cannot allocate memory|failed to allocate memory/,
    reason: "out_of_memory",
    sentence: () => "Not enough memory.",
  },
  {
    expression: /EADDRINUSE|[Aa]ddress already in use|Errno 98\b|couldn't bind HTTP server socket/,
    reason: "port_conflict",
    sentence: ({ input }, { holder }) => {
      const port = portIn(input);
      const what = port === undefined ? "A port that it needs" : `Port ${port}`;
      const by = holder === undefined ? "" : ` by ${holder}`;
      return (
        `${what} is already in use${by}. Stop that program, or use another port: ` +
        "the variable PORT has a free one for each replica."
      );
    },
  },
  {
    // Also when python3 -m cannot find the module.
    expression: /(?:^|\()ModuleNotFoundError: No module named '([^']+)'/,
    reason: "import_error",
    sentence: missingModule,
  },
  {
    expression: /^\S*python[\d.]*: No module named ([\w.]+)/,
    reason: "import_error",
    sentence: missingModule,
  },
  {
    expression: /^ImportError: (.+)$/,
    reason: "import_error",
    sentence: ([, why]) => `An import failed: ${why}.`,
  },
  {
    expression: /(?:^|: )([\w./+-]+): (?:command )?not found$/,
    reason: "missing_executable",
    sentence: ([, program]) => `The program ${program} is not on the PATH.`,
  },
];

/**
 * Places of a port in messages about a conflict. Three digits rule out parts of a time of day, and the
 * ending of a source file its line.
 */
const portPlaces = [
  /, (\d{2,5})\)/,
  /\bport[ =:]+(\d{2,5})\b/i,
  /.*(?<!\.(?:py|[cm]?[jt]s|go|rs|cc|cpp|c|h)):(\d{3,5})(?!\d)/,
];

function portIn(line: string): number | undefined {
  const [port] = portPlaces.flatMap((place) => place.exec(line)?.[1] ?? []);
  return port === undefined ? undefined : Number(port);
}

/** Packages whose modules have other names. */
const packages: Readonly<Record<string, string>> = {
  PIL: "pillow",
  cv2: "opencv-python-headless",
  dateutil: "python-dateutil",
  dotenv: "python-dotenv",
  skimage: "scikit-image",
  sklearn: "scikit-learn",
  yaml: "pyyaml",
};

function requirementOf(module: string): string {
  const [top = ""] = module.split(".");
  return packages[top] ?? top;
}

const runnerReasons = new Set([
  "usage",
  "syntax_error",
  "script_missing",
  "target_missing",
  "import_error",
  "script_error",
  "exception",
  "port_conflict",
  "out_of_memory",
  "missing_executable",
]);

const errorMark = "Error: ";
const killedCode = 137;
const notFoundCode = 127;

/** @returns the exit as shown to users and the control plane */
export function explainExit(facts: ExitFacts): ReplicaExit {
  const { code, signal, tail } = facts;
  const { reason, sentence } = explain(facts);
  return { code, signal, reason, sentence, tail };
}

/** Returns the port that another program has, if that is why the replica exited. */
export function takenPort(facts: ExitFacts): number | undefined {
  return explain(facts).port;
}

function explain(facts: ExitFacts): Explanation {
  const { cause, ending, code, signal, memoryRanOut } = facts;
  if (cause !== undefined && cause.reason !== "lost") return cause;
  if (ending?.phase === "failed") return explainFailure(ending, facts);
  const wasKilled = signal === "SIGKILL" || code === killedCode || ending?.code === -9;
  if (wasKilled && memoryRanOut) {
    return {
      reason: "out_of_memory",
      sentence: "The kernel killed it because the machine ran out of memory.",
    };
  }
  if (ending !== undefined) return explainReturn(ending, facts);
  const trace = code === 0 ? undefined : explainTraces(facts.tail, facts);
  if (trace !== undefined) return trace;
  if (code === notFoundCode) {
    return { reason: "missing_executable", sentence: "A program it runs is not on the PATH." };
  }
  if (signal !== undefined) return { reason: "killed", sentence: `It was killed by ${signal}.` };
  if (code !== undefined) return { reason: "exited", sentence: `It exited with code ${code}.` };
  return cause ?? { reason: "lost", sentence: "It exited for an unknown reason." };
}

/** Uses the runner's reason; for an exception, the last lines may be more specific. */
function explainFailure(
  { reason = "", sentence = "The script failed" }: ReplicaMarker,
  facts: ExitFacts,
): Explanation {
  const known = runnerReasons.has(reason) ? reason : "exception";
  const [place = ""] = placeInScript.exec(sentence) ?? [];
  const own = explainTraces([sentence.slice(place.length)], facts);
  if (own?.reason === known) return { ...own, sentence: place + own.sentence };
  const trace = known === "exception" ? explainTraces(facts.tail, facts) : undefined;
  return trace ?? { reason: known, sentence: asSentence(sentence) };
}

const placeInScript = /^[^\s:]+:\d+: /;

/** Covers scripts that ignore how their server exited: the function returns as if all were well. */
function explainReturn({ program, code }: ReplicaMarker, facts: ExitFacts): Explanation {
  const hasFailed = code !== undefined && code !== 0;
  const trace = hasFailed || program === undefined ? explainTraces(facts.tail, facts) : undefined;
  if (trace !== undefined && hasFailed) return trace;
  // The last line of modelctl, and of many other programs.
  const error = facts.tail.findLast((line) => line.startsWith(errorMark));
  if (hasFailed && error !== undefined) {
    return { reason: "exited", sentence: asSentence(error.slice(errorMark.length)) };
  }
  const how = program === undefined ? "" : `; ${describeEnd(program, code)}`;
  return {
    reason: "returned",
    sentence: `The function returned and left no server running${how}.`,
  };
}

function explainTraces(tail: readonly string[], facts: ExitFacts): Explanation | undefined {
  for (const { expression, reason, sentence } of traces) {
    for (const line of tail) {
      const found = expression.exec(line);
      if (found === null) continue;
      const port = reason === "port_conflict" ? portIn(line) : undefined;
      return { reason, sentence: sentence(found, facts), port };
    }
  }
  return undefined;
}

export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

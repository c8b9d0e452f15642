// Why a replica ended: the stable reason and the sentence, from its code, its marker and its last lines.
import type { ReplicaExit } from "../engine.ts";
import { describeEnd, type RunnerMarker } from "./runner-marker.ts";

export interface ExitFacts {
  /** Undefined for a replica that an earlier control plane has started: only its parent learns it. */
  code: number | undefined;
  signal: string | undefined;
  /** What we know better than its code: that we ended it, and why. */
  cause: ExitCause | undefined;
  /** The runner's last word. */
  ending: RunnerMarker | undefined;
  /** The kernel ended processes for want of memory while it lived. */
  memoryRanOut: boolean;
  tail: string[];
}

export interface ExitCause {
  reason: "stopped" | "startup_timeout" | "port_conflict" | "lost" | "spawn_failed";
  sentence: string;
}

type Explanation = Pick<ReplicaExit, "reason" | "sentence">;

/** What processes write before they end; the last lines are read. */
const traces: readonly { expression: RegExp; explain: (groups: string[]) => Explanation }[] = [
  {
    expression:
      /CUDA out of memory|CUDA error: out of memory|torch\.(?:cuda\.)?OutOfMemoryError|cudaMalloc failed: out of memory|No available memory for the cache blocks|Free memory on device .* is less than desired/,
    explain: () => ({
      reason: "out_of_memory",
      sentence: "The GPU's memory does not suffice.",
    }),
  },
  {
    expression: /^MemoryError\b|std::bad_alloc|Cannot allocate memory|failed to allocate memory/,
    explain: () => ({
      reason: "out_of_memory",
      sentence: "The machine's memory does not suffice.",
    }),
  },
  {
    expression: /EADDRINUSE|[Aa]ddress already in use|Errno 98\b/,
    explain: () => ({
      reason: "port_conflict",
      sentence: "A port that it wants is in use by another process.",
    }),
  },
  {
    expression: /^ModuleNotFoundError: No module named '([^']+)'/,
    explain: ([name]) => ({
      reason: "import_error",
      sentence: `The Python module ${name} is missing in its environment.`,
    }),
  },
  {
    expression: /^ImportError: (.+)$/,
    explain: ([text]) => ({ reason: "import_error", sentence: `An import failed: ${text}.` }),
  },
  {
    expression: /(?:^|: )([\w./+-]+): (?:command )?not found$/,
    explain: ([name]) => ({
      reason: "missing_executable",
      sentence: `The program ${name} is not on the PATH.`,
    }),
  },
];

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

const killedCode = 137;
const notFoundCode = 127;

/** @returns the exit as people and the control plane see it */
export function explainExit(facts: ExitFacts): ReplicaExit {
  const { code, signal, tail } = facts;
  return { code, signal, ...explain(facts), tail };
}

function explain(facts: ExitFacts): Explanation {
  const { cause, ending, code, signal, memoryRanOut } = facts;
  if (cause !== undefined && cause.reason !== "lost") return cause;
  if (ending?.phase === "failed") return explainFailure(ending, facts);
  const wasKilled = signal === "SIGKILL" || code === killedCode || ending?.code === -9;
  if (wasKilled && memoryRanOut) {
    return {
      reason: "out_of_memory",
      sentence: "The kernel ended it, because the machine's memory ran out.",
    };
  }
  if (ending !== undefined) return explainReturn(ending, facts);
  const trace = code === 0 ? undefined : explainTraces(facts.tail);
  if (trace !== undefined) return trace;
  if (code === notFoundCode) {
    return {
      reason: "missing_executable",
      sentence: "A program that it calls is not on the PATH.",
    };
  }
  if (signal !== undefined) return { reason: "killed", sentence: `It was ended by ${signal}.` };
  if (code !== undefined) return { reason: "exited", sentence: `It ended with code ${code}.` };
  return cause ?? { reason: "lost", sentence: "It ended; nobody saw how." };
}

/** The runner's reason; of an exception, the lines may know more. */
function explainFailure({ reason = "", sentence }: RunnerMarker, facts: ExitFacts): Explanation {
  const known = runnerReasons.has(reason) ? reason : "exception";
  const trace = known === "exception" ? explainTraces(facts.tail) : undefined;
  return trace ?? { reason: known, sentence: asSentence(sentence ?? "The script failed") };
}

/** A script may not look at how its server ended: then the function returns as if all were well. */
function explainReturn({ program, code }: RunnerMarker, facts: ExitFacts): Explanation {
  const hasFailed = code !== undefined && code !== 0;
  const trace = hasFailed || program === undefined ? explainTraces(facts.tail) : undefined;
  if (trace !== undefined && hasFailed) return trace;
  const how = program === undefined ? "" : `; ${describeEnd(program, code)}`;
  return {
    reason: "returned",
    sentence: `The function returned, and nothing of it serves any more${how}.`,
  };
}

function explainTraces(tail: readonly string[]): Explanation | undefined {
  for (const { expression, explain: told } of traces) {
    for (const line of tail) {
      const found = expression.exec(line);
      if (found !== null) return told(found.slice(1));
    }
  }
  return undefined;
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

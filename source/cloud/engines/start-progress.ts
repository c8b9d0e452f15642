// Start-up progress, read from a replica's output.
import { describeMarker, type ReplicaMarker } from "./replica-marker.ts";
import type { StartPhase } from "./start-phases.ts";

export interface StartProgress {
  phase: StartPhase;
  /** Description, such as "loading shards 3/4". */
  text: string;
}

/**
 * First match wins; texts refer to groups of the expression. The wording is that of vLLM, SGLang,
 * transformers, huggingface_hub, llama.cpp and uvicorn.
 */
const patterns: readonly (StartProgress & { expression: RegExp })[] = [
  {
    // Loading safetensors checkpoint shards:  25% Completed | 1/4 [00:00<00:02,  1.05it/s]
    expression: /Loading (?:\S+ )?checkpoint shards:.*?\b(\d+)\/(\d+)/,
    phase: "load",
    text: "loading shards $1/$2",
  },
  {
    // Capturing CUDA graphs (decode, FULL):  17%|█▋        | 6/35 [00:01<00:05,  5.2it/s]
    expression: /Capturing (?:CUDA |batches|cuda ).*?\b(\d+)\/(\d+)/,
    phase: "capture",
    text: "capturing graphs $1/$2",
  },
  {
    // Fetching 12 files:  33%|███▎      | 4/12 [00:02<00:04,  1.9it/s]
    expression: /Fetching \d+ files:.*?\b(\d+)\/(\d+)/,
    phase: "download",
    text: "downloading weights, $1/$2 files",
  },
  {
    // model-00001-of-00004.safetensors:  45%|████▌     | 2.23G/4.98G [00:12<00:15, 180MB/s]
    expression:
      /^\s*(?:Downloading )?([^\s:]+\.\w+).*?:\s+(\d+)%\|.*\|\s*([\d.]+\w?B?)\/([\d.]+\w?B?)/,
    phase: "download",
    text: "downloading weights, $1 $2 % ($3 of $4)",
  },
  {
    expression: /Dynamo bytecode transform|torch\.compile|Compiling a graph/,
    phase: "compile",
    text: "compiling",
  },
  {
    expression:
      /Starting to load model|Load weight begin|llama_model_loader: loaded meta|load_tensors:/,
    phase: "load",
    text: "loading the model",
  },
  {
    expression:
      /Application startup complete|Uvicorn running on|[Ss]erver is listening on|Running on http/,
    phase: "listen",
    text: "listening",
  },
];

/** @returns undefined for a line without progress */
export function progressOf(text: string): StartProgress | undefined {
  for (const { expression, phase, text: shown } of patterns) {
    const [found] = expression.exec(text) ?? [];
    if (found !== undefined) return { phase, text: found.replace(expression, shown) };
  }
  return undefined;
}

/** Phases that the runner reports, until the server's own output is more specific. */
const phasesOfMarkers: Partial<Record<ReplicaMarker["phase"], StartPhase>> = {
  importing: "import",
  calling: "setup",
  holding: "setup",
};

/** @returns undefined for a marker that is not part of a start */
export function progressOfMarker(marker: ReplicaMarker): StartProgress | undefined {
  const phase = phasesOfMarkers[marker.phase];
  return phase && { phase, text: describeMarker(marker) };
}

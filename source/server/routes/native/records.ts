// Native reply records: the names, units and omissions of Ollama's API.
import type { TokenLogprob } from "../../../engine/generation.ts";
import type { CanonicalEvent } from "../../../engine/request.ts";
import type { ModelDetails } from "../../../store/library/model-details.ts";

type Done = Extract<CanonicalEvent, { type: "done" }>;
type Rendered = Extract<CanonicalEvent, { type: "rendered" }>;

/** Fields of a final record. Durations are integer nanoseconds; zeros are left out. */
export function finalFields(done: Done, loadMs: number, totalMs: number): Record<string, unknown> {
  const { statistics, context, truncated } = done;
  const counts = {
    total_duration: nanoseconds(totalMs),
    load_duration: nanoseconds(loadMs),
    prompt_eval_count: statistics.promptTokens,
    prompt_eval_duration: nanoseconds(statistics.promptMs),
    // Ours: prompt tokens taken from the cache.
    prompt_eval_cached_count: statistics.cachedTokens,
    eval_count: statistics.completionTokens,
    // Ours: guessed tokens that steps checked, and those that were right.
    drafted_count: statistics.drafted ?? 0,
    accepted_count: statistics.accepted ?? 0,
    eval_duration: nanoseconds(statistics.completionMs),
  };
  return {
    done: true,
    done_reason: done.reason,
    ...(context !== undefined && { context }),
    // Ours: parts dropped from the conversation, if the request allowed it.
    ...(truncated !== undefined && { truncated }),
    // Ours: why the draft model was no longer used.
    ...(statistics.draftSpeed !== undefined && { draft_speed: statistics.draftSpeed }),
    ...withoutZeros(counts),
  };
}

/** Fields of the record that shows a rendered prompt. */
export function renderedFields({ prompt, images, truncated }: Rendered): Record<string, unknown> {
  return {
    done: false,
    ...(truncated !== undefined && { truncated }),
    _debug_info: { rendered_template: prompt, ...withoutZeros({ image_count: images }) },
  };
}

/** As in Ollama. */
export function withoutZeros(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0));
}

export function nanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e6);
}

/** Progress records for `progress: true`; undefined for other events. */
export function progressFields(event: CanonicalEvent): Record<string, unknown> | undefined {
  switch (event.type) {
    case "queued":
      return { status: "queued", queue_position: event.ahead };
    case "checking": {
      const { file, completedBytes: completed, totalBytes: total } = event;
      return { status: "checking", file, completed, total };
    }
    case "loading":
      return { status: "loading", completed: event.fraction, total: 1 };
    case "warning":
      return { status: "warning", kind: event.kind, warning: event.sentence };
    case "warming-up":
      return { status: "warming up" };
    case "prompt":
      return { status: "prompt", completed: event.completedTokens, total: event.totalTokens };
    default:
      return undefined;
  }
}

export function logprobFields(logprobs: readonly TokenLogprob[], top: number) {
  if (logprobs.length === 0) return {};
  return {
    logprobs: logprobs.map(({ token, bytes, logprob, top: alternatives }) => ({
      token,
      logprob,
      bytes,
      ...(top > 0 && { top_logprobs: alternatives }),
    })),
  };
}

/** RFC 3339 in UTC with fractional seconds. */
export function createdAt(): string {
  return new Date().toISOString();
}

/** Details of a model in a list. */
export function detailsRecord(details: ModelDetails): Record<string, unknown> {
  return {
    parent_model: "",
    format: details.format,
    family: details.family,
    families: details.families,
    parameter_size: details.parameterSize,
    quantization_level: details.quantizationLevel,
    context_length: details.contextLength,
    embedding_length: details.embeddingLength,
  };
}

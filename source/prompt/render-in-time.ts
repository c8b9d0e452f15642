// Rendering without blocking the thread: quick conversations at once, others in a worker thread with a
// time limit. Decision 0023.
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { type ErrorDefinition, ProductError } from "../base/product-error.ts";
import { promptErrors } from "./errors.ts";
import type { PromptSegment } from "./prompt-segment.ts";
import type { Conversation, PromptTemplate, TemplateModelFacts } from "./prompt-template.ts";
import {
  fullLimits,
  longestQuickConversation,
  quickLimits,
  type RenderLimits,
} from "./render-budget.ts";
import { BudgetFault, tooCostly } from "./template-fault.ts";

export interface RenderJob {
  kind: PromptTemplate["kind"];
  source: string;
  conversation: Conversation;
  model: TemplateModelFacts;
  limits: RenderLimits;
}

export type RenderOutcome =
  | { segments: PromptSegment[] }
  | { code: string; message: string; hint?: string; param?: string };

const workersAtOnce = 2;
/** Extra time for a worker to start and to deliver its result. */
const graceMs = 1000;
const workerMegabytes = 768;

// JavaScript in dist/ and TypeScript in a checkout; Node runs both.
const workerFile = fileURLToPath(
  new URL(`./render-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url),
);

/** Templates that were too slow for the shared thread, which does not try them again. */
const slowTemplates = new WeakSet<PromptTemplate>();

/**
 * Runs `template.render` without blocking a shared thread.
 *
 * @param timeoutMs limit, which includes waiting for other slow templates
 * @param signal stops a running template and its worker
 * @throws ProductError as `template.render` does; the signal's reason
 */
export async function renderInTime(
  template: PromptTemplate,
  conversation: Conversation,
  model: TemplateModelFacts,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<PromptSegment[]> {
  signal?.throwIfAborted();
  if (!slowTemplates.has(template) && isQuick(conversation)) {
    try {
      return template.render(conversation, model, { limits: quickLimits });
    } catch (error) {
      if (!isTooCostly(error)) throw error;
    }
  }
  return await renderInWorker(template, conversation, model, timeoutMs, signal);
}

/** Estimates the size before anything is created from the conversation; images have no text. */
function isQuick({ messages, tools = [] }: Conversation): boolean {
  const values: unknown[] = [...messages.map(({ images: _, ...message }) => message), ...tools];
  let left = longestQuickConversation;
  while (values.length > 0 && left >= 0) {
    const value = values.pop();
    left -= typeof value === "string" ? value.length : 1;
    if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value)) values.push(key, item);
    }
  }
  return left >= 0;
}

function isTooCostly(error: unknown): error is ProductError {
  return error instanceof ProductError && error.code === promptErrors.templateTooCostly.code;
}

async function renderInWorker(
  template: PromptTemplate,
  conversation: Conversation,
  model: TemplateModelFacts,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<PromptSegment[]> {
  const end = performance.now() + timeoutMs;
  await freeWorker(timeoutMs, signal);
  try {
    const milliseconds = Math.max(1, Math.round(end - performance.now()));
    return await runWorker(
      {
        kind: template.kind,
        source: template.source,
        conversation: withoutImageData(conversation),
        model: {
          bosText: model.bosText,
          eosText: model.eosText,
          controlTexts: model.controlTexts,
        },
        limits: fullLimits(milliseconds),
      },
      timeoutMs,
      signal,
    );
  } catch (error) {
    if (isTooCostly(error)) slowTemplates.add(template);
    throw error;
  } finally {
    busy -= 1;
    waiting.shift()?.();
  }
}

let busy = 0;
const waiting: Array<() => void> = [];

async function freeWorker(timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (busy >= workersAtOnce) {
    const left = end - performance.now();
    const turn = Promise.withResolvers<void>();
    waiting.push(turn.resolve);
    const timer = setTimeout(turn.resolve, Math.max(0, left));
    const onAbort = () => turn.resolve();
    signal?.addEventListener("abort", onAbort, { once: true });
    await turn.promise;
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    const place = waiting.indexOf(turn.resolve);
    if (place >= 0) waiting.splice(place, 1);
    if (signal?.aborted) {
      // The turn may have come at the same moment: it goes to the next one.
      if (place < 0) waiting.shift()?.();
      throw signal.reason;
    }
    if (busy >= workersAtOnce && performance.now() >= end) throw outOfTime(timeoutMs);
  }
  busy += 1;
}

async function runWorker(
  job: RenderJob,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<PromptSegment[]> {
  const worker = new Worker(workerFile, {
    workerData: job,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: workerMegabytes },
  });
  const result = Promise.withResolvers<RenderOutcome>();
  const timer = setTimeout(
    () => result.reject(outOfTime(timeoutMs)),
    job.limits.milliseconds + graceMs,
  );
  const onAbort = () => result.reject(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  worker.once("message", (outcome: RenderOutcome) => result.resolve(outcome));
  worker.once("error", (error: NodeJS.ErrnoException) =>
    result.reject(
      error.code === "ERR_WORKER_OUT_OF_MEMORY"
        ? tooCostly(
            "The model's chat template",
            new BudgetFault(`it takes more than ${workerMegabytes} MiB of memory`),
          )
        : error,
    ),
  );
  worker.once("exit", () => result.reject(new Error("the render worker ended without a result")));
  try {
    const outcome = await result.promise;
    if ("segments" in outcome) return outcome.segments;
    throw errorOf(outcome);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
}

function outOfTime(timeoutMs: number): ProductError {
  return tooCostly(
    "The model's chat template",
    new BudgetFault(`it takes longer than ${timeoutMs / 1000} s`),
  );
}

const definitions = new Map<string, ErrorDefinition>(
  Object.values(promptErrors).map((definition) => [definition.code, definition]),
);

function errorOf({ code, message, hint, param }: Exclude<RenderOutcome, { segments: unknown }>) {
  const definition = definitions.get(code) ?? promptErrors.templateFailed;
  return new ProductError(definition, {
    message,
    ...(hint !== undefined && { hint }),
    ...(param !== undefined && { param }),
  });
}

/** Removes image data, which can be large: a template needs only the places. */
function withoutImageData(conversation: Conversation): Conversation {
  return {
    ...conversation,
    messages: conversation.messages.map((message) =>
      message.images === undefined
        ? message
        : { ...message, images: message.images.map((image) => ({ ...image, base64: "" })) },
    ),
  };
}

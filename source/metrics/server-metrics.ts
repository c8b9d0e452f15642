// The server's metrics in Prometheus' text format.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { EventLoopLag } from "./event-loop-lag.ts";
import type { LoadedModelSample } from "./machine-monitor.ts";

/** An answer that has ended for any reason. */
export interface AnswerFigures {
  /** The resolved name, as spellings are unbounded. */
  model: string;
  promptTokens: number;
  cachedTokens: number;
  completionTokens: number;
  /** Tokens of the answer that were guessed and checked, and those that were right. */
  drafted: number;
  accepted: number;
  /** Undefined if the request ended earlier. */
  queueMs: number | undefined;
  completionMs: number | undefined;
}

const waitBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const speedBuckets = [1, 2, 5, 10, 20, 40, 80, 160, 320, 640, 1280];
/** Disables prom-client's own event loop sampling, which `EventLoopLag` replaces. */
const neverMs = 2 ** 31 - 1;

export class ServerMetrics {
  readonly #registry = new Registry();
  readonly #requests = this.#counter("requests_total", "Requests that have ended.", [
    "method",
    "route",
    "status",
  ]);
  readonly #durations = this.#histogram(
    "request_duration_seconds",
    "Time from a request to the end of its reply.",
    waitBuckets,
    ["route"],
  );
  readonly #inFlight = this.#gauge("requests_in_flight", "Requests that have not ended.");
  readonly #promptTokens = this.#tokens("prompt_tokens_total", "Prompt tokens, cached ones too.");
  readonly #cachedTokens = this.#tokens(
    "cached_prompt_tokens_total",
    "Prompt tokens that were reused instead of computed.",
  );
  readonly #completionTokens = this.#tokens("completion_tokens_total", "Tokens of answers.");
  readonly #draftedTokens = this.#tokens(
    "drafted_tokens_total",
    "Tokens that were guessed and checked.",
  );
  readonly #acceptedTokens = this.#tokens(
    "accepted_tokens_total",
    "Guessed tokens that were right.",
  );
  readonly #firstTokens = this.#histogram(
    "time_to_first_token_seconds",
    "Time from a request to the first piece of its answer.",
    waitBuckets,
  );
  readonly #speeds = this.#histogram(
    "decode_tokens_per_second",
    "Speed of an answer after its first token.",
    speedBuckets,
  );
  readonly #queueTimes = this.#histogram(
    "queue_seconds",
    "Time that a request waited for a slot.",
    waitBuckets,
  );
  readonly #loads = this.#histogram(
    "model_load_seconds",
    "Time that a model took to load.",
    [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
  );
  readonly #evictions = this.#counter(
    "model_evictions_total",
    "Models that were unloaded to make room for another.",
  );
  readonly #crashes = this.#counter(
    "runner_crashes_total",
    "Runner processes that ended by themselves; the next request starts a new one.",
  );
  readonly #callsReadFromText = this.#counter(
    "calls_read_from_text_total",
    "Tool calls that a model wrote without the marks of its template.",
  );
  readonly #callsNotRead = this.#counter(
    "calls_not_read_total",
    "Tool calls in text that stayed text, since their arguments do not fulfil the tool's schema.",
  );
  readonly #eventLoop: EventLoopLag;
  /** Tokens of all answers so far by model, unfinished ones too. */
  readonly generatedTokens = new Map<string, number>();

  /** @param models called when the metrics are read */
  constructor(models: () => LoadedModelSample[]) {
    collectDefaultMetrics({
      register: this.#registry,
      prefix: "modelctl_",
      eventLoopMonitoringPrecision: neverMs,
    });
    this.#eventLoop = new EventLoopLag(this.#registry);
    const perModel = (
      name: string,
      help: string,
      labels: string[],
      rows: (model: LoadedModelSample) => Array<[labels: Record<string, string>, value: number]>,
    ) => {
      const gauge = this.#gauge(name, help, labels, () => {
        gauge.reset();
        for (const model of models()) {
          for (const [more, value] of rows(model)) gauge.inc({ model: model.name, ...more }, value);
        }
      });
    };
    perModel("queue_length", "Requests that wait for a model.", ["model"], ({ waiting }) => [
      [{}, waiting],
    ]);
    perModel("loaded_models", "Models in memory.", ["model", "state"], ({ state }) => [
      [{ state }, 1],
    ]);
    perModel(
      "model_memory_bytes",
      "Memory of a model: weights and context windows.",
      ["model", "kind"],
      ({ ramBytes, vramBytes }) => [
        [{ kind: "ram" }, ramBytes],
        [{ kind: "vram" }, vramBytes],
      ],
    );
  }

  requestBegan(): void {
    this.#inFlight.inc();
  }

  /** @param route the pattern, as paths are unbounded */
  requestEnded(method: string, route: string, status: number, durationMs: number): void {
    this.#inFlight.dec();
    this.#requests.inc({ method, route, status });
    this.#durations.observe({ route }, durationMs / 1000);
  }

  /** Called with every piece of an answer, so it only adds. */
  tokensGenerated(model: string, count: number): void {
    this.generatedTokens.set(model, (this.generatedTokens.get(model) ?? 0) + count);
  }

  callReadFromText(): void {
    this.#callsReadFromText.inc();
  }

  callsNotRead(count: number): void {
    this.#callsNotRead.inc(count);
  }

  firstTokenAfter(milliseconds: number): void {
    this.#firstTokens.observe(milliseconds / 1000);
  }

  answerEnded(figures: AnswerFigures): void {
    const { model, completionTokens, queueMs, completionMs } = figures;
    this.#promptTokens.inc({ model }, figures.promptTokens);
    this.#cachedTokens.inc({ model }, figures.cachedTokens);
    this.#completionTokens.inc({ model }, completionTokens);
    this.#draftedTokens.inc({ model }, figures.drafted);
    this.#acceptedTokens.inc({ model }, figures.accepted);
    if (queueMs !== undefined) this.#queueTimes.observe(queueMs / 1000);
    // The first token comes with the prompt; the others take the time.
    if (completionMs !== undefined && completionMs > 0 && completionTokens > 1) {
      this.#speeds.observe((completionTokens - 1) / (completionMs / 1000));
    }
  }

  /** Counts a prompt without an answer, such as one for embeddings. */
  promptRead(model: string, tokens: number): void {
    this.#promptTokens.inc({ model }, tokens);
  }

  modelLoaded(milliseconds: number): void {
    this.#loads.observe(milliseconds / 1000);
  }

  modelEvicted(): void {
    this.#evictions.inc();
  }

  runnerCrashed(): void {
    this.#crashes.inc();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async text(): Promise<string> {
    await this.#eventLoop.update();
    return await this.#registry.metrics();
  }

  #counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name: `modelctl_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #tokens(name: string, help: string): Counter {
    return this.#counter(name, help, ["model"]);
  }

  #gauge(name: string, help: string, labelNames: string[] = [], collect?: () => void): Gauge {
    return new Gauge({
      name: `modelctl_${name}`,
      help,
      labelNames,
      registers: [this.#registry],
      ...(collect !== undefined && { collect }),
    });
  }

  #histogram(name: string, help: string, buckets: number[], labelNames: string[] = []): Histogram {
    return new Histogram({
      name: `modelctl_${name}`,
      help,
      buckets,
      labelNames,
      registers: [this.#registry],
    });
  }
}

// Traces of requests, sent by OTLP to the collector that the environment names. OpenTelemetry's packages
// are loaded only then: they take a third of a gateway's start.
import type { Context, Span, SpanKind } from "@opentelemetry/api";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base";
import { packageVersion } from "../base/package-facts.ts";

/** Undefined values are left out. */
export type TraceAttributes = Readonly<
  Record<string, string | number | boolean | string[] | undefined>
>;

export interface SpanStart {
  name: string;
  attributes?: TraceAttributes;
  /** Milliseconds since 1970; now, if undefined. */
  startedAt?: number;
}

/** Part of a trace that has begun. Sent when it ends. */
export interface TraceSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Headers that make another server's spans part of this one. */
  readonly headers: Readonly<Record<string, string>>;
  /** Begins a part of this span. */
  begin(part: SpanStart): TraceSpan;
  set(attributes: TraceAttributes): void;
  /** Marks it as failed. */
  fail(): void;
  /** @param endedAt milliseconds since 1970; now, if undefined */
  end(endedAt?: number): void;
}

export interface Tracing {
  /**
   * Begins the span of a request.
   *
   * @param headers its `traceparent` and `tracestate` make it a part of the client's trace
   */
  begin(request: SpanStart, headers: Readonly<Record<string, unknown>>): TraceSpan;
  /** Sends what is left, for at most a second. */
  close(): Promise<void>;
}

const closingMs = 1000;

// The variable for traces wins over the one for all signals.
const endpointVariables = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
const protocolVariables = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];
const disablingVariable = "OTEL_SDK_DISABLED";
const spokenProtocol = "http/protobuf";

/**
 * Reads the variables of OpenTelemetry's specification for OTLP exporters; most of them are read by its
 * packages. Says on `log` why spans are lost, at most once an hour: nothing waits for a collector.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @param service default of `OTEL_SERVICE_NAME`
 * @returns undefined without a collector
 */
export async function openTracing(
  service: string,
  log: (text: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Tracing | undefined> {
  const collector = collectorOf(environment, log);
  if (collector === undefined) return undefined;
  const [api, core, resources, sdk, { OTLPTraceExporter }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/core"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/sdk-trace-base"),
    import("@opentelemetry/exporter-trace-otlp-proto"),
  ]);
  const own = resources.resourceFromAttributes({
    "service.name": service,
    "service.version": packageVersion(),
  });
  const named = resources.detectResources({ detectors: [resources.envDetector] });
  const exporter = new ReportingExporter(new OTLPTraceExporter(), collector.host, log);
  const provider = new sdk.BasicTracerProvider({
    resource: resources.defaultResource().merge(own).merge(named),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer(service, packageVersion());
  const propagator = new core.W3CTraceContextPropagator();
  const begin = (start: SpanStart, kind: SpanKind, parent: Context): TraceSpan => {
    const { name, attributes = {}, startedAt: startTime } = start;
    const timed = startTime !== undefined && { startTime };
    const span = tracer.startSpan(name, { kind, ...timed }, parent).setAttributes(attributes);
    return spanOf(span, api.trace.setSpan(api.ROOT_CONTEXT, span));
  };
  const spanOf = (span: Span, context: Context): TraceSpan => {
    const headers: Record<string, string> = {};
    propagator.inject(context, headers, api.defaultTextMapSetter);
    return {
      traceId: span.spanContext().traceId,
      headers,
      begin: (part) => begin(part, api.SpanKind.INTERNAL, context),
      set: (attributes) => void span.setAttributes(attributes),
      fail: () => void span.setStatus({ code: api.SpanStatusCode.ERROR }),
      end: (endedAt) => span.end(endedAt),
    };
  };
  return {
    begin(request, headers) {
      const parent = propagator.extract(api.ROOT_CONTEXT, headers, api.defaultTextMapGetter);
      return begin(request, api.SpanKind.SERVER, parent);
    },
    async close() {
      const { promise: isOver, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, closingMs);
      // The exporter says which spans are lost.
      await Promise.race([provider.shutdown().catch(() => {}), isOver]);
      clearTimeout(timer);
    },
  };
}

/** @returns undefined if traces are off, or cannot be sent */
function collectorOf(environment: NodeJS.ProcessEnv, log: (text: string) => void): URL | undefined {
  const isSet = (variable: string) => (environment[variable] ?? "") !== "";
  const name = endpointVariables.find(isSet);
  if (name === undefined || environment[disablingVariable]?.toLowerCase() === "true") {
    return undefined;
  }
  const protocol = protocolVariables.find(isSet);
  if (protocol !== undefined && environment[protocol] !== spokenProtocol) {
    log(
      `No traces are sent: ${protocol} names a protocol that is not spoken here. Unset it, or set it to ${spokenProtocol}.`,
    );
    return undefined;
  }
  const url = URL.parse(environment[name] ?? "");
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  log(`No traces are sent: ${name} is not an http:// or https:// address.`);
  return undefined;
}

const hourMs = 3_600_000;

/** Passes spans on, and says in the log when they are lost. */
class ReportingExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #host: string;
  readonly #log: (text: string) => void;
  #lost = 0;
  #saidAt = -Infinity;

  /** @param host of the collector; its address may hold a password */
  constructor(inner: SpanExporter, host: string, log: (text: string) => void) {
    this.#inner = inner;
    this.#host = host;
    this.#log = log;
  }

  export(spans: ReadableSpan[], onResult: Parameters<SpanExporter["export"]>[1]): void {
    this.#inner.export(spans, (result) => {
      if (result.error !== undefined) this.#noteLost(spans.length, result.error);
      onResult(result);
    });
  }

  async forceFlush(): Promise<void> {
    await this.#inner.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }

  #noteLost(count: number, error: Error): void {
    this.#lost += count;
    if (performance.now() - this.#saidAt < hourMs) return;
    this.#saidAt = performance.now();
    const spans = this.#lost === 1 ? "1 span was" : `${this.#lost} spans were`;
    this.#lost = 0;
    this.#log(
      `The trace collector at ${this.#host} takes no traces: ${error.message}. ${spans} lost. Requests do not wait for it; this is said once an hour.`,
    );
  }
}

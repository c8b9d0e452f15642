// A collector of traces, as OTLP over HTTP describes it: reads the protobuf that the official exporter sends.
// https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PbfReader } from "pbf";
import { until } from "./until.ts";

export type SpanValue = string | number | boolean | SpanValue[] | undefined;

export interface CollectedSpan {
  service: SpanValue;
  name: string;
  traceId: string;
  spanId: string;
  /** Empty for the first of a trace. */
  parentId: string;
  /** 1: internal, 2: server. */
  kind: number;
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  attributes: Record<string, SpanValue>;
  /** True if its status is an error. */
  hasFailed: boolean;
}

export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  /** Headers of the last batch. */
  headers: NodeJS.Dict<string | string[]> = {};
  readonly #server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      this.headers = request.headers;
      this.spans.push(...readSpans(Buffer.concat(pieces)));
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });

  /** @returns one that listens on a free port */
  static async start(): Promise<TraceCollector> {
    const collector = new TraceCollector();
    const { promise, resolve } = Promise.withResolvers<void>();
    collector.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    return collector;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Waits for a span with these attributes. @returns it and all of its trace */
  async traceOf(attributes: Record<string, SpanValue>): Promise<CollectedSpan[]> {
    const isWanted = (span: CollectedSpan) =>
      Object.entries(attributes).every(([name, value]) => span.attributes[name] === value);
    const spans = await until(
      () => this.spans,
      (seen) => seen.some(isWanted),
    );
    const { traceId } = spans.find(isWanted) ?? {};
    return spans.filter((span) => span.traceId === traceId);
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }
}

/** ExportTraceServiceRequest → ResourceSpans → ScopeSpans → Span. */
function readSpans(bytes: Uint8Array): CollectedSpan[] {
  const spans: CollectedSpan[] = [];
  readFields(new PbfReader(bytes), {
    1: (resources) => {
      const own: CollectedSpan[] = [];
      const resource: Record<string, SpanValue> = {};
      readFields(resources, {
        1: (pbf) => readFields(pbf, { 1: (entry) => readAttribute(entry, resource) }),
        2: (scope) => readFields(scope, { 2: (span) => void own.push(readSpan(span)) }),
      });
      spans.push(...own.map((span) => ({ ...span, service: resource["service.name"] })));
    },
  });
  return spans;
}

function readSpan(message: PbfReader): CollectedSpan {
  const span: CollectedSpan = {
    ...{ service: undefined, name: "", traceId: "", spanId: "", parentId: "" },
    ...{ kind: 0, from: 0, to: 0, attributes: {}, hasFailed: false },
  };
  readFields(
    message,
    { 9: (entry) => readAttribute(entry, span.attributes) },
    {
      1: (pbf) => (span.traceId = Buffer.from(pbf.readBytes()).toString("hex")),
      2: (pbf) => (span.spanId = Buffer.from(pbf.readBytes()).toString("hex")),
      4: (pbf) => (span.parentId = Buffer.from(pbf.readBytes()).toString("hex")),
      5: (pbf) => (span.name = pbf.readString()),
      6: (pbf) => (span.kind = pbf.readVarint()),
      7: (pbf) => (span.from = pbf.readFixed64() / 1e6),
      8: (pbf) => (span.to = pbf.readFixed64() / 1e6),
      15: (pbf) => {
        readFields(
          new PbfReader(pbf.readBytes()),
          {},
          { 3: (status) => (span.hasFailed = status.readVarint() === 2) },
        );
      },
    },
  );
  return span;
}

function readAttribute(entry: PbfReader, into: Record<string, SpanValue>): void {
  let name = "";
  let value: SpanValue;
  readFields(
    entry,
    {
      2: (pbf) => {
        value = readValue(pbf);
      },
    },
    { 1: (pbf) => (name = pbf.readString()) },
  );
  into[name] = value;
}

function readValue(message: PbfReader): SpanValue {
  let value: SpanValue;
  const list: SpanValue[] = [];
  readFields(
    message,
    { 5: (pbf) => readFields(pbf, { 1: (entry) => void list.push(readValue(entry)) }) },
    {
      1: (pbf) => (value = pbf.readString()),
      2: (pbf) => (value = pbf.readBoolean()),
      3: (pbf) => (value = pbf.readVarint()),
      4: (pbf) => (value = pbf.readDouble()),
    },
  );
  return list.length > 0 ? list : value;
}

/** @param messages readers of fields that are messages @param values readers of the other fields */
function readFields(
  message: PbfReader,
  messages: Record<number, (field: PbfReader) => void>,
  values: Record<number, (field: PbfReader) => unknown> = {},
): void {
  message.readFields((tag, _, pbf) => {
    const read = messages[tag];
    if (read === undefined) values[tag]?.(pbf);
    else read(new PbfReader(pbf.readBytes()));
  }, undefined);
}

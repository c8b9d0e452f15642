// What was asked of the server and how it went: one record a request, the last few thousand kept.
import { RingBuffer } from "../base/ring-buffer.ts";

export interface RequestRecord {
  /** Unique while the server runs, e.g. `r-1f`. */
  id: string;
  /** When it came in, milliseconds since 1970. */
  startedAt: number;
  method: string;
  path: string;
  model: string | undefined;
  client: { address: string; agent: string | undefined };
  stream: boolean;
  state: "running" | "done";
  /** Undefined while it runs; 499 when the client left. */
  status: number | undefined;
  /** Code and sentence of a failure. */
  error: { code: string; message: string } | undefined;
  finishReason: string | undefined;
  promptTokens: number | undefined;
  cachedTokens: number | undefined;
  completionTokens: number | undefined;
  slot: number | undefined;
  /** Milliseconds. */
  loadMs: number | undefined;
  queueMs: number | undefined;
  promptMs: number | undefined;
  completionMs: number | undefined;
  /** From arrival to the first piece of the answer. */
  firstTokenMs: number | undefined;
  totalMs: number | undefined;
}

const defaultCapacity = 5000;
const longestText = 1000;

export class RequestLog {
  readonly #records: RingBuffer<RequestRecord>;
  readonly #followers = new Set<(record: RequestRecord) => void>();
  #count = 0;

  constructor(capacity: number = defaultCapacity) {
    this.#records = new RingBuffer(capacity);
  }

  /** Opens the record of a request that has come in. */
  open(fields: Pick<RequestRecord, "startedAt" | "method" | "path" | "client">): RequestRecord {
    this.#count += 1;
    const record: RequestRecord = {
      id: `r-${this.#count.toString(36)}`,
      ...fields,
      model: undefined,
      stream: false,
      state: "running",
      status: undefined,
      error: undefined,
      finishReason: undefined,
      promptTokens: undefined,
      cachedTokens: undefined,
      completionTokens: undefined,
      slot: undefined,
      loadMs: undefined,
      queueMs: undefined,
      promptMs: undefined,
      completionMs: undefined,
      firstTokenMs: undefined,
      totalMs: undefined,
    };
    this.#records.push(record);
    this.#tell(record);
    return record;
  }

  /** Tells followers that a record has changed. */
  update(record: RequestRecord, change: Partial<RequestRecord>): void {
    Object.assign(record, change);
    // What a client sent may be megabytes long, and thousands of records are kept.
    if (record.model !== undefined) record.model = record.model.slice(0, longestText);
    if (record.error !== undefined) {
      record.error = { ...record.error, message: record.error.message.slice(0, longestText) };
    }
    this.#tell(record);
  }

  /** Closes a record; a second close changes nothing. */
  close(record: RequestRecord, status: number, now: number): void {
    if (record.state === "done") return;
    this.update(record, { state: "done", status, totalMs: now - record.startedAt });
  }

  /** Oldest first. */
  get records(): RequestRecord[] {
    return this.#records.toArray();
  }

  /** Requests that have not ended. */
  get running(): RequestRecord[] {
    return this.records.filter((record) => record.state === "running");
  }

  /** @returns a function that ends it */
  follow(follower: (record: RequestRecord) => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  #tell(record: RequestRecord): void {
    for (const follower of this.#followers) follower(record);
  }
}

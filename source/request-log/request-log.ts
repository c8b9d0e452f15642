// The server's requests and their outcomes: one record a request, the last few thousand kept.
import { RingBuffer } from "../base/ring-buffer.ts";
import { openRecord, type RequestRecord } from "./request-record.ts";

const defaultCapacity = 5000;
const longestText = 1000;

export class RequestLog {
  readonly #records: RingBuffer<RequestRecord>;
  /** Unfinished requests, even if newer ones have pushed them out of the log. */
  readonly #running = new Set<RequestRecord>();
  readonly #followers = new Set<(record: RequestRecord) => void>();
  #count = 0;

  constructor(capacity: number = defaultCapacity) {
    this.#records = new RingBuffer(capacity);
  }

  /** A new id, for a request that is recorded or not. */
  nextId(): string {
    this.#count += 1;
    return `r-${this.#count.toString(36)}`;
  }

  /** Opens the record of a request that has come in. */
  open(fields: Pick<RequestRecord, "startedAt" | "method" | "path" | "client">): RequestRecord {
    const { path, client } = fields;
    const record = openRecord({
      ...fields,
      id: this.nextId(),
      // Long values are cut: a client may send anything, and thousands of records are kept.
      path: path.slice(0, longestText),
      client: { ...client, agent: client.agent?.slice(0, longestText) },
    });
    this.#records.push(record);
    this.#running.add(record);
    this.#tell(record);
    return record;
  }

  /** Tells followers that a record has changed. */
  update(record: RequestRecord, change: Partial<RequestRecord>): void {
    Object.assign(record, change);
    // The same applies to names, which may be megabytes.
    if (record.model !== undefined) record.model = record.model.slice(0, longestText);
    if (record.error !== undefined) {
      record.error = { ...record.error, message: record.error.message.slice(0, longestText) };
    }
    this.#tell(record);
  }

  /** Closes a record; a second close changes nothing. */
  close(record: RequestRecord, status: number, now: number): void {
    if (record.state === "done") return;
    this.#running.delete(record);
    this.update(record, { state: "done", status, totalMs: now - record.startedAt });
  }

  /** Oldest first. */
  get records(): RequestRecord[] {
    return this.#records.toArray();
  }

  find(id: string): RequestRecord | undefined {
    const hasId = (record: RequestRecord) => record.id === id;
    return this.running.find(hasId) ?? this.records.findLast(hasId);
  }

  /** Requests that have not ended. */
  get running(): RequestRecord[] {
    return [...this.#running];
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

// Log of the server's last few thousand requests, one record each.
import { RingBuffer } from "../base/ring-buffer.ts";
import type { Cancellation, RequestRecord } from "./request-record.ts";

const defaultCapacity = 5000;
const longestText = 1000;
/** nginx's status for a client that closed its request. */
export const cancelledStatus = 499;

/** A request that has just arrived. */
export interface Arrival {
  /** Milliseconds since 1970. */
  startedAt: number;
  method: string;
  path: string;
  client: { address: string; agent: string | undefined };
}

export class RequestLog {
  readonly #records: RingBuffer<RequestRecord>;
  /** Unfinished requests, even those that newer ones have pushed out of the log. */
  readonly #running = new Set<RequestRecord>();
  readonly #followers = new Set<(record: RequestRecord) => void>();
  #count = 0;

  constructor(capacity: number = defaultCapacity) {
    this.#records = new RingBuffer(capacity);
  }

  /** Returns a new id, also for requests that are not recorded. */
  nextId(): string {
    this.#count += 1;
    return `r-${this.#count.toString(36)}`;
  }

  /** Opens the record of a new request. */
  open({ startedAt, method, path, client: { address, agent } }: Arrival): RequestRecord {
    const record: RequestRecord = {
      id: this.nextId(),
      startedAt,
      method,
      path: cut(path),
      client: { address, ...(agent !== undefined && { agent: cut(agent) }) },
      stream: false,
      state: "running",
    };
    this.#records.push(record);
    this.#running.add(record);
    this.#tell(record);
    return record;
  }

  /** Tells followers that a record has changed. */
  update(record: RequestRecord, change: Partial<RequestRecord>): void {
    Object.assign(record, change);
    // Names may be megabytes, too.
    if (record.model !== undefined) record.model = cut(record.model);
    if (record.error !== undefined) {
      record.error = { ...record.error, message: cut(record.error.message) };
    }
    this.#tell(record);
  }

  /** Notes who cancels a running request; the first one counts. The record is closed as cancelled. */
  cancel(record: RequestRecord, { agent, ...cancelled }: Cancellation): void {
    if (record.state !== "running" || record.cancelled !== undefined) return;
    const isNamed = agent !== undefined;
    this.update(record, { cancelled: { ...cancelled, ...(isNamed && { agent: cut(agent) }) } });
  }

  /**
   * Closes a record; a second close changes nothing.
   *
   * @param status of the reply; a cancelled request has its own
   */
  close(record: RequestRecord, status: number, now: number): void {
    if (record.state !== "running") return;
    this.#running.delete(record);
    const totalMs = now - record.startedAt;
    const ended =
      record.cancelled === undefined
        ? ({ state: "done", status } as const)
        : ({ state: "cancelled", status: cancelledStatus } as const);
    this.update(record, { ...ended, totalMs });
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

  /** @returns a function that stops following */
  follow(follower: (record: RequestRecord) => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  #tell(record: RequestRecord): void {
    for (const follower of this.#followers) follower(record);
  }
}

/** Clients may send anything, and thousands of records are kept. */
function cut(text: string): string {
  return text.slice(0, longestText);
}

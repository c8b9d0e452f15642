// Access log: one JSON line per request, in rotated files.
import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import path from "node:path";
import { describeError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import type { ExchangeRecord } from "../gateway/exchange-record.ts";

export interface AccessLogOptions {
  file: string;
  /** Called once when writing fails, and once when it works again. */
  log: (text: string) => void;
  /** Size at which the file is rotated. */
  fileBytes?: number;
  /** Number of rotated files. */
  keptFiles?: number;
}

const flushAfterMs = 250;
/** Characters in memory above which lines are dropped, because the disk is slow or full. */
const maxWaitingCharacters = 8 * 2 ** 20;

/** Writes in the background, so that no request waits. */
export class AccessLog {
  readonly #options: Required<AccessLogOptions>;
  #waiting: string[] = [];
  #waitingCharacters = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(options: AccessLogOptions) {
    this.#options = { fileBytes: 10 * 2 ** 20, keptFiles: 5, ...options };
  }

  write(record: ExchangeRecord): void {
    if (this.#waitingCharacters > maxWaitingCharacters) return;
    const line = `${JSON.stringify(toLine(record))}\n`;
    this.#waiting.push(line);
    this.#waitingCharacters += line.length;
    this.#timer ??= setTimeout(() => this.flush(), flushAfterMs).unref();
  }

  /** Resolves when all lines so far are written, or writing has failed. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#append());
    await this.#writing;
  }

  async #append(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#waitingCharacters = 0;
    const { file, log } = this.#options;
    try {
      await this.#rotate();
      await appendFile(file, text, { mode: 0o600 });
      if (this.#hasFailed) log(`writing to the access log ${file} again`);
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) log(`cannot write the access log: ${describeError(error)}`);
      this.#hasFailed = true;
    }
  }

  async #rotate(): Promise<void> {
    const { file, fileBytes, keptFiles } = this.#options;
    const size = await sizeOf(file);
    if (size === undefined) await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    if (size === undefined || size < fileBytes) return;
    for (let age = keptFiles - 1; age >= 1; age -= 1) {
      const from = `${file}.${age}`;
      if ((await sizeOf(from)) !== undefined) await rename(from, `${file}.${age + 1}`);
    }
    await rename(file, `${file}.1`);
  }
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function toLine(record: ExchangeRecord): Record<string, unknown> {
  return {
    time: new Date(record.startedAt).toISOString(),
    request_id: record.id,
    organisation: record.organisation,
    app: record.app,
    revision: record.revision,
    replica: record.replica,
    key_id: record.keyId,
    address: record.address,
    method: record.method,
    path: record.path,
    status: record.status,
    error_type: record.errorType,
    cold_start: record.isColdStart || undefined,
    queued: record.isQueued || undefined,
    queue_ms: rounded(record.queueMs),
    ttfb_ms: rounded(record.firstByteMs),
    total_ms: rounded(record.totalMs),
    bytes_in: record.receivedBytes,
    bytes_out: record.sentBytes,
    prompt_tokens: record.tokens?.prompt,
    completion_tokens: record.tokens?.completion,
  };
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10;
}

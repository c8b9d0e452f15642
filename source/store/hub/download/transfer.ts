// Fetches the missing bytes of a file over several connections, and retries failed ones.
import type { ProductError } from "../../../base/product-error.ts";
import { storeErrors } from "../../errors.ts";
import { cancelled, pause, Retries, RetryableError, type RetryPolicy } from "../retry.ts";
import { type FileSource, RangesIgnored } from "./file-source.ts";
import { type Part, PartQueue, type PartSizes } from "./part-queue.ts";
import { PartWriter } from "./part-writer.ts";
import type { PartialFile } from "./partial-file.ts";
import type { RateLimit } from "./rate-limit.ts";

export interface TransferOptions {
  source: FileSource;
  file: PartialFile;
  /** ETag that every reply must carry. */
  etag: string | undefined;
  partSizes: PartSizes;
  retryPolicy: RetryPolicy;
  /** Interval between writes of the notes. */
  noteIntervalMs: number;
  limit: RateLimit | undefined;
  signal: AbortSignal;
  /** Called after a write. */
  onWritten: () => void;
  /** Called with the reason for a retry. */
  onRetry: (detail: string) => void;
}

/** A few connections fill a fast line; more only add cost. */
const firstConnections = 4;
const secondConnectionsMs = 3000;
/** Interval at which an idle connection looks for a slow one. */
const idleMs = 500;
/** Bytes that an attempt must fetch to count as progress. */
const progressBytes = 32 * 1024;

/** @throws SourceChanged, ProductError `STORE_HUB_...`; fetched bytes are in the file */
export async function transfer(options: TransferOptions): Promise<void> {
  const { file, limit } = options;
  const { onRetry, onWritten } = reportingOnce(options);
  const telling = { ...options, onRetry, onWritten };
  const most = Math.min(options.partSizes.connections, limit?.usefulConnections ?? Infinity);
  const partSizes = { ...options.partSizes, connections: most };
  try {
    await fetchParts(telling, new PartQueue(file.missing(), partSizes), false);
  } catch (error) {
    if (!(error instanceof RangesIgnored)) throw error;
    onRetry("The server sends whole files only: continuing with one connection.");
    const rest = [{ start: file.frontBytes, end: file.identity.sizeBytes }];
    const inOne = { connections: 1, smallestBytes: Infinity, largestBytes: Infinity };
    await fetchParts(telling, new PartQueue(rest, inOne), true);
  }
}

/** Reports the same failure of several connections once, until bytes arrive again. */
function reportingOnce({ onRetry, onWritten }: TransferOptions) {
  const reported = new Set<string>();
  return {
    onRetry(detail: string) {
      if (reported.has(detail)) return;
      reported.add(detail);
      onRetry(detail);
    },
    onWritten() {
      reported.clear();
      onWritten();
    },
  };
}

/** Resolves when every connection is idle; the first error stops all. */
async function fetchParts(
  options: TransferOptions,
  queue: PartQueue,
  takesWhole: boolean,
): Promise<void> {
  const { file, signal, noteIntervalMs } = options;
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  let failure: { error: unknown } | undefined;
  const fail = (error: unknown) => {
    failure ??= { error };
    stop.abort();
  };
  const notes = setInterval(() => void file.note().catch(fail), noteIntervalMs);
  try {
    await Promise.all(
      Array.from({ length: queue.connections }, async (_, index) => {
        if (index >= firstConnections) await untilDone(queue, secondConnectionsMs, either);
        await fetchOneByOne({ ...options, signal: either }, queue, takesWhole);
      }).map((connection) => connection.catch(fail)),
    );
  } finally {
    clearInterval(notes);
  }
  if (signal.aborted) throw cancelled();
  if (failure !== undefined) throw failure.error;
}

/** Runs one connection: fetches part after part, then helps slow ones until all are done. */
async function fetchOneByOne(
  options: TransferOptions,
  queue: PartQueue,
  takesWhole: boolean,
): Promise<void> {
  while (!queue.isDone) {
    const part = queue.take();
    if (part === undefined) {
      await untilDone(queue, idleMs, options.signal);
      continue;
    }
    try {
      await fetchPart(options, part, takesWhole);
    } finally {
      queue.finish(part);
    }
  }
}

/** Waits for the queue, at most `maxMs`, and leaves no timer behind. */
async function untilDone(queue: PartQueue, maxMs: number, signal: AbortSignal): Promise<void> {
  const end = new AbortController();
  try {
    await Promise.race([queue.done, pause(maxMs, AbortSignal.any([signal, end.signal]))]);
  } finally {
    end.abort();
  }
}

async function fetchPart(options: TransferOptions, part: Part, takesWhole: boolean): Promise<void> {
  const retries = new Retries(options.retryPolicy);
  while (part.position < part.end) {
    const before = part.position;
    try {
      await receive(options, part, takesWhole);
    } catch (error) {
      if (part.position - before >= progressBytes) retries.noteProgress();
      await retries.waitAfter(error, options.signal, options.onRetry);
    }
  }
}

/** Sends one request. Afterwards all bytes up to the part's position are written. */
async function receive(options: TransferOptions, part: Part, takesWhole: boolean): Promise<void> {
  const { source, file, etag, limit, signal, onWritten } = options;
  const asked = { start: part.position, end: part.end };
  const { reply, start } = await source.open(asked, { etag, takesWhole, signal });
  const writer = new PartWriter(file, part.position, onWritten);
  let skip = part.position - start;
  let broken: { error: unknown } | undefined;
  try {
    await reply.read((chunk) => {
      const from = Math.min(skip, chunk.length);
      skip -= from;
      const useful = chunk.subarray(from, from + part.end - part.position);
      part.position += useful.length;
      // Stops reading if another connection took over the rest, or the server sends too much.
      const isDone = part.position >= part.end;
      if (isDone && (part.end !== asked.end || from + useful.length < chunk.length))
        reply.abandon();
      const written = useful.length > 0 ? writer.push(useful) : undefined;
      const paced = limit?.take(chunk.length, signal);
      return written && paced ? Promise.all([written, paced]).then(() => {}) : (written ?? paced);
    });
  } catch (error) {
    broken = { error };
  }
  await writer.flush();
  if (part.position >= part.end) return;
  throw broken === undefined ? endedEarly(source, part) : broken.error;
}

function endedEarly(source: FileSource, part: Part): ProductError {
  return new RetryableError(storeErrors.hubUnreachable, {
    message: `${source.file.path} ended ${part.end - part.position} bytes too early.`,
    hint: "Run the command again to resume.",
  });
}

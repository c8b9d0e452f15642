// Load for measuring proxies.

import { execFile } from "node:child_process";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { median } from "./report.ts";

const program = createRequire(import.meta.url).resolve("autocannon");

export interface Target {
  url: string;
  headers: Record<string, string>;
}

/** @returns requests per second; all must get status 200 */
export async function measureRate(
  { url, headers }: Target,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<number> {
  const more = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}=${value}`]);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, "--json", "-c", `${connections}`, "-d", `${seconds}`, ...more, `${url}/v1/models`],
    { maxBuffer: 2 ** 24 },
  );
  const report = JSON.parse(stdout) as {
    requests: { average: number; total: number };
    "2xx": number;
  };
  if (report["2xx"] !== report.requests.total) throw new Error(`${url} failed: ${stdout}`);
  return report.requests.average;
}

/** Sends requests one by one over one connection. @returns the median in milliseconds */
export async function measureLatency(target: Target, requests: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const timesMs: number[] = [];
  try {
    for (let count = 0; count < requests; count += 1) {
      const startedMs = performance.now();
      await readAll(await open(target, "/v1/models", agent));
      timesMs.push(performance.now() - startedMs);
    }
  } finally {
    agent.destroy();
  }
  return median(timesMs);
}

/** @returns the median time from sending an event to its arrival, in milliseconds */
export async function measureStreams(
  target: Target,
  { streams, pieces, everyMs }: { streams: number; pieces: number; everyMs: number },
): Promise<number> {
  const delays = await Promise.all(
    Array.from({ length: streams }, async () => {
      const found: number[] = [];
      const reply = await open(target, `/stream?pieces=${pieces}&ms=${everyMs}`);
      for await (const piece of reply) {
        const now = process.hrtime.bigint();
        for (const [, sentAt = "0"] of String(piece).matchAll(/data: (\d+)/g)) {
          found.push(Number(now - BigInt(sentAt)) / 1e6);
        }
      }
      if (found.length !== pieces) throw new Error(`${found.length} of ${pieces} events came`);
      return found;
    }),
  );
  return median(delays.flat());
}

/** @returns the number of concurrent streams that did not end correctly */
export async function countFailures(target: Target, streams: number): Promise<number> {
  const isWhole = async () => {
    try {
      const reply = await open(target, "/stream?pieces=10&ms=50");
      const text = String(await readAll(reply));
      return reply.statusCode === 200 && text.split("data: ").length === 12;
    } catch {
      return false;
    }
  };
  const all = await Promise.all(Array.from({ length: streams }, isWhole));
  return all.filter((isGood) => !isGood).length;
}

/** Opens event streams and reads the first event of each. @returns closes them */
export async function holdStreams(target: Target, streams: number): Promise<() => void> {
  const replies = await Promise.all(
    Array.from({ length: streams }, async () => {
      const reply = await open(target, "/idle");
      await once(reply, "data");
      return reply;
    }),
  );
  return () => {
    for (const reply of replies) reply.destroy();
  };
}

/** Reads a megabyte, then pauses: calls `onPause` and waits for it. */
export async function readSlowly(
  target: Target,
  bytes: number,
  onPause: () => Promise<void>,
): Promise<void> {
  const reply = await open(target, `/pour?bytes=${bytes}`);
  let received = 0;
  let pausedAt = 0;
  for await (const piece of reply) {
    received += (piece as Buffer).length;
    if (received - pausedAt < 2 ** 20) continue;
    pausedAt = received;
    await onPause();
  }
  if (received !== bytes) throw new Error(`${received} of ${bytes} bytes came`);
}

async function open(
  { url, headers }: Target,
  path: string,
  agent: Agent | false = false,
): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    request(url + path, { headers, agent }, resolve)
      .once("error", reject)
      .end();
  });
}

async function readAll(reply: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await reply.toArray());
}

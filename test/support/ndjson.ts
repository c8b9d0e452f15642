// Replies of the native API as they were sent, without a client library in between.
import type { TestServer } from "./test-server.ts";

export type NativeRecord = Record<string, unknown>;

/** One record for each line. */
export function parseLines(text: string): NativeRecord[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as NativeRecord);
}

export async function recordsOf(
  server: TestServer,
  path: string,
  body: Record<string, unknown>,
): Promise<NativeRecord[]> {
  return parseLines((await server.post(path, body)).text);
}

// A streamed reply that lasts as long as a test needs it.

export interface HeldStream {
  readonly reply: Response;
  /** Leaves, as a caller does that hangs up. */
  leave(): void;
}

/**
 * Asks for a stream, and reads on until `leave`. A reply that nobody reads and nobody keeps would
 * be collected as garbage, and fetch then ends its stream: the test would have left by itself.
 */
export async function holdStream(url: string, init: RequestInit = {}): Promise<HeldStream> {
  const leaving = new AbortController();
  const reply = await fetch(url, { ...init, signal: leaving.signal });
  // The end is the test's, or that of the server which it looks at: no failure of its own.
  reply.body?.pipeTo(new WritableStream()).catch(() => {});
  return { reply, leave: () => leaving.abort() };
}

// Ports for replicas: not reserved by another one, and free on this machine.
import { createServer } from "node:net";
import type { Reservations } from "../../state/reservations.ts";

export interface PortRange {
  first: number;
  last: number;
}

/** Below Linux's range for outgoing connections (32768 and up). */
export const defaultPortRange: PortRange = { first: 20_000, last: 29_999 };

/**
 * Reserves a port for a replica. The search starts at a random port, so that one just released is
 * not reused at once.
 *
 * @param draw 0..1, as Math.random
 * @returns undefined when the range is used up
 */
export async function reservePort(
  replica: string,
  reservations: Reservations,
  { first, last }: PortRange,
  draw: () => number,
): Promise<number | undefined> {
  const count = last - first + 1;
  const start = Math.floor(draw() * count);
  const taken = new Set(
    reservations.list().flatMap(({ kind, value }) => (kind === "port" ? [Number(value)] : [])),
  );
  for (let step = 0; step < count; step += 1) {
    const port = first + ((start + step) % count);
    if (taken.has(port) || !(await canBind(port))) continue;
    if (reservations.reserve({ kind: "port", value: String(port), replica })) return port;
  }
  return undefined;
}

/** Returns the number of unreserved ports; they may still be in use by other programs. */
export function unreservedPorts(reservations: Reservations, { first, last }: PortRange): number {
  const taken = reservations
    .list()
    .filter(
      ({ kind, value }) => kind === "port" && Number(value) >= first && Number(value) <= last,
    );
  return last - first + 1 - taken.length;
}

async function canBind(port: number): Promise<boolean> {
  const server = createServer();
  try {
    return await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen({ port, host: "127.0.0.1", exclusive: true }, () => resolve(true));
    });
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

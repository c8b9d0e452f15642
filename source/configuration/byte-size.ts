// Sizes as a person types them.

const factors: Record<string, number> = {
  "": 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
};

/** Bytes of `1048576`, `20M`, `20MB` (decimal), `20MiB` (binary); undefined for anything else. */
export function parseByteSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]i?)?b?$/i.exec(text.trim());
  if (match === null) return undefined;
  const bytes = Math.round(Number(match[1]) * (factors[match[2]?.toLowerCase() ?? ""] ?? 1));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

// Seeded random numbers, so that the benchmark's model and prompts are the same everywhere.

/** Returns a generator of whole numbers from 0 to 2^32 - 1 (the sfc32 algorithm). */
export function createRandom(seed: number): () => number {
  let a = 0x9e3779b9;
  let b = 0x243f6a88;
  let c = seed | 0;
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  // Skips the first values, which still resemble the seed.
  for (let round = 0; round < 16; round++) next();
  return next;
}

/** Draws from the standard normal distribution (Box-Muller). */
export function drawNormal(random: () => number): number {
  const radius = Math.sqrt(-2 * Math.log((random() + 1) / 2 ** 32));
  return radius * Math.cos((2 * Math.PI * random()) / 2 ** 32);
}

/** Picks one element; the list must not be empty. */
export function pick<Element>(elements: readonly Element[], random: () => number): Element {
  const element = elements[random() % elements.length];
  if (element === undefined) throw new Error("nothing to pick from");
  return element;
}

// Formats counts of parameters and tokens.

/** Formats a count as Ollama does: `954K`, `361.82M`, `8.0B`, `70B`. */
export function formatCount(count: number): string {
  const scaled = (unit: number, decimals: number, letter: string) => {
    const value = count / unit;
    return `${Number.isInteger(value) ? value : value.toFixed(decimals)}${letter}`;
  };
  if (count >= 1e9) return scaled(1e9, 1, "B");
  if (count >= 1e6) return scaled(1e6, 2, "M");
  if (count >= 1e3) return `${Math.round(count / 1e3)}K`;
  return String(count);
}

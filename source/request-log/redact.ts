// Redacts texts for the log: secrets, and images as text.

const rules: ReadonlyArray<readonly [pattern: RegExp, replacement: (match: string) => string]> = [
  [
    /data:([\w.+-]+\/[\w.+-]+)[^,\s]{0,100};base64,[A-Za-z0-9+/=_-]*/g,
    (match) => `[${match.slice(5, match.search(/[;,]/))}, ${match.length} characters]`,
  ],
  [/[A-Za-z0-9+/_-]{512,}={0,2}/g, (match) => `[base64, ${match.length} characters]`],
  // Keys by the prefixes that their makers gave them for this purpose.
  [
    /\b(?:mk_|dk_|sk-|pk-|rk-|hf_|gh[opsur]_|github_pat_|glpat-|xox[abp]-|AKIA|AIza)[\w-]{12,}/g,
    (match) => `${match.slice(0, 3)}…[secret]`,
  ],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, () => "[token]"],
  [/\bBearer\s+[\w.~+/-]{8,}=*/gi, () => "Bearer [secret]"],
];

export function redact(text: string): string {
  return rules.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}

// Names of models as a person writes them and as the server lists them.

/** The name with its tag: `tiny` is `tiny:latest`. */
export function withTag(name: string): string {
  return name.indexOf(":", name.lastIndexOf("/") + 1) >= 0 ? name : `${name}:latest`;
}

/** The same text for all names of one model: they may differ in letter case, and in a usual tag. */
export function sameName(name: string): string {
  return withTag(name).toLowerCase();
}

export function isSameModel(one: string, other: string): boolean {
  return sameName(one) === sameName(other);
}

/** What to ask the server to pull: `owner/name:quant` means a repository of the hub. */
export function pullReference(typed: string): string {
  const text = typed.trim();
  return /^[\w.-]+\/[\w.-]+(:.+)?$/.test(text) ? `hf.co/${text}` : text;
}

/** The name that a repository and a quantization are pulled under. */
export function quantizedName(name: string, selector: string): string {
  const slash = name.lastIndexOf("/");
  const colon = name.indexOf(":", slash + 1);
  return `${colon < 0 ? name : name.slice(0, colon)}:${selector}`;
}

/** A name in so few cells that its end, which tells models apart, is still read. */
export function shortName(name: string, width: number, ellipsis: string): string {
  const plain = name.replace(/:latest$/, "");
  if (plain.length <= width) return plain;
  const withoutHost = plain.replace(/^[^/]+\.[^/]+\//, "");
  if (withoutHost.length <= width) return withoutHost;
  return ellipsis + withoutHost.slice(-Math.max(0, width - ellipsis.length));
}

// Names of models as users type them and as the server lists them.

import { shownModel } from "../../../base/display-text.ts";

/** The name with its tag: `tiny` is `tiny:latest`. */
export function withTag(name: string): string {
  return name.indexOf(":", name.lastIndexOf("/") + 1) >= 0 ? name : `${name}:latest`;
}

/** Common key for all names of a model, which may differ in letter case and the default tag. */
export function nameKey(name: string): string {
  return withTag(name).toLowerCase();
}

export function isSameModel(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other);
}

/** The reference to pull: `owner/name:quant` means a repository of the hub. */
export function pullReference(typed: string): string {
  const text = typed.trim();
  return /^[\w.-]+\/[\w.-]+(:.+)?$/.test(text) ? `hf.co/${text}` : text;
}

/** The name under which a quantization of a repository is pulled. */
export function quantizedName(name: string, selector: string): string {
  const slash = name.lastIndexOf("/");
  const colon = name.indexOf(":", slash + 1);
  return `${colon < 0 ? name : name.slice(0, colon)}:${selector}`;
}

/** The last part of a name, without its tag. */
export function baseName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1).replace(/:.*$/, "");
}

/** Names of the hub have its host in front of owner and repository. */
export function isHubName(name: string): boolean {
  return name.split("/").length === 3;
}

/** A name in at most `width` letters; it keeps its end, where models differ. */
export function shortName(name: string, width: number, ellipsis: string): string {
  const plain = shownModel(name);
  if (plain.length <= width) return plain;
  const withoutHost = plain.replace(/^[^/]+\.[^/]+\//, "");
  if (withoutHost.length <= width) return withoutHost;
  return ellipsis + withoutHost.slice(-Math.max(0, width - ellipsis.length));
}

// YAML of a document, in blocks, with strings quoted as in JSON, which is part of YAML.

/** @param value anything that JSON can hold */
export function toYaml(value: object): string {
  return `${blockOf(value, "").trimStart()}\n`;
}

function blockOf(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return " []";
    const below = `${indent}  `;
    return value.map((item) => `\n${indent}-${itemOf(item, below)}`).join("");
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    if (entries.length === 0) return " {}";
    return entries
      .map(([name, item]) => `\n${indent}${keyOf(name)}:${blockOf(item, `${indent}  `)}`)
      .join("");
  }
  return ` ${JSON.stringify(value)}`;
}

/** An item of a list begins on the line of its dash. */
function itemOf(item: unknown, indent: string): string {
  const block = blockOf(item, indent);
  return block.startsWith("\n") ? ` ${block.slice(1 + indent.length)}` : block;
}

/** Names that YAML could read as something else are quoted. */
function keyOf(name: string): string {
  return /^[A-Za-z][\w./-]*$/.test(name) && !/^(?:true|false|yes|no|on|off|null|y|n)$/i.test(name)
    ? name
    : JSON.stringify(name);
}

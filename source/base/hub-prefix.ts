// Recognises names of hub models by their prefix.

/**
 * @param prefixes hosts, and schemes with their colon
 * @returns what follows the prefix, or undefined when the text does not begin with one
 */
export function afterHubPrefix(text: string, prefixes: readonly string[]): string | undefined {
  const bare = withoutScheme(text);
  for (const prefix of prefixes) {
    const isScheme = prefix.endsWith(":");
    const start = isScheme ? prefix : `${prefix}/`;
    // A pasted address has a host; a scheme of ours is not written behind https://.
    const candidate = isScheme ? text : bare;
    // The hub's own tools write hf://.
    const rest = candidate.slice(start.length).replace(isScheme ? /^\/\// : "", "");
    if (!candidate.toLowerCase().startsWith(start.toLowerCase())) continue;
    if (!isScheme || rest.includes("/")) return rest;
  }
  return undefined;
}

export function withoutScheme(text: string): string {
  return text.replace(/^https?:\/\//i, "");
}

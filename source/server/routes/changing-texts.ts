// Texts that agents change in every request. They come near the beginning, so the model would have to
// read everything after them again, and they mean nothing to it. Gateways from Anthropic's API to
// OpenAI's pass them on, so all conversation routes strip them.

/** Patterns for a whole text block, or the whole first line of a system prompt. */
const changing = [
  // Claude Code: `x-anthropic-billing-header: cc_version=…; cch=…;`
  /^x-anthropic-billing-header:[^\n]*$/,
  // Claude Code: `<total_tokens>171204 tokens left</total_tokens>`
  /^<total_tokens>[^<]*<\/total_tokens>$/,
];

const systemRoles: readonly unknown[] = ["system", "developer"];

/**
 * Strips them from a system prompt or its blocks; everything else, even if invalid, stays.
 *
 * @returns undefined if nothing is left
 */
export function withoutChangingText(system: string): string | undefined;
export function withoutChangingText(system: unknown): unknown;
export function withoutChangingText(system: unknown): unknown {
  const stable = typeof system === "string" ? withoutFirstLine(system) : withoutBlocks(system);
  return isEmpty(stable) && !isEmpty(system) ? undefined : stable;
}

/** Strips them from messages or items; everything else, even if invalid, stays. */
export function withoutChangingTexts<Message>(messages: readonly Message[]): Message[] {
  return messages.flatMap((message) => {
    if (message === null || typeof message !== "object" || !("content" in message))
      return [message];
    const isSystem = "role" in message && systemRoles.includes(message.role);
    const own = message.content;
    const content = isSystem ? withoutChangingText(own) : withoutBlocks(own);
    if (isSystem && content === undefined && own !== undefined) return [];
    // A user message is never left empty.
    return [isEmpty(content) ? message : { ...message, content }];
  });
}

function isEmpty(content: unknown): boolean {
  return (typeof content === "string" || Array.isArray(content)) && content.length === 0;
}

function withoutFirstLine(text: string): string {
  const [first = ""] = text.split("\n", 1);
  return isChanging(first) ? text.slice(first.length).trimStart() : text;
}

function withoutBlocks(content: unknown): unknown {
  return Array.isArray(content) ? content.filter((block) => !isChangingBlock(block)) : content;
}

function isChangingBlock(block: unknown): boolean {
  if (block === null || typeof block !== "object" || !("text" in block)) return false;
  return typeof block.text === "string" && isChanging(block.text);
}

function isChanging(text: string): boolean {
  return changing.some((pattern) => pattern.test(text.trim()));
}

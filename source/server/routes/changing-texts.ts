// Texts that agents add to each request and change every time. They stand near the beginning, so that
// everything behind them would have to be read again; to a model they say nothing.

/** A text block, or the first line of a system text, that is nothing else. */
const changing = [
  // Claude Code: `x-anthropic-billing-header: cc_version=…; cch=…;`
  /^x-anthropic-billing-header:[^\n]*$/,
  // Claude Code: `<total_tokens>171204 tokens left</total_tokens>`
  /^<total_tokens>[^<]*<\/total_tokens>$/,
];

interface Prompt {
  system?: unknown;
  messages: readonly unknown[];
}

/** Leaves such texts out; whatever else is in the request, mistakes too, stays as it is. */
export function withoutChangingTexts({ system, messages }: Prompt): Prompt {
  const stable = typeof system === "string" ? withoutFirstLine(system) : withoutBlocks(system);
  const keepsSystem = isEmpty(system) || !isEmpty(stable);
  return { ...(keepsSystem && { system: stable }), messages: messages.map(withoutOwnBlocks) };
}

function isEmpty(content: unknown): boolean {
  return (
    content === undefined ||
    ((typeof content === "string" || Array.isArray(content)) && content.length === 0)
  );
}

function withoutFirstLine(text: string): string {
  const [first = ""] = text.split("\n", 1);
  return isChanging(first) ? text.slice(first.length).trimStart() : text;
}

function withoutBlocks(content: unknown): unknown {
  return Array.isArray(content) ? content.filter((block) => !isChangingBlock(block)) : content;
}

/** A message that would be empty without them keeps them. */
function withoutOwnBlocks(message: unknown): unknown {
  if (message === null || typeof message !== "object" || !("content" in message)) return message;
  const content = withoutBlocks(message.content);
  return Array.isArray(content) && content.length > 0 ? { ...message, content } : message;
}

function isChangingBlock(block: unknown): boolean {
  if (block === null || typeof block !== "object" || !("text" in block)) return false;
  return typeof block.text === "string" && isChanging(block.text);
}

function isChanging(text: string): boolean {
  return changing.some((pattern) => pattern.test(text.trim()));
}

// Turns `system` and `messages` into the model's conversation.
import { quoteShort } from "../../../base/display-text.ts";
import type { ProductError } from "../../../base/product-error.ts";
import type { ChatImage } from "../../../prompt/chat-message.ts";
import type { PromptMessage } from "../../../prompt/prompt-template.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import type { Warn } from "../../warnings.ts";
import { ConversationBuilder } from "../conversation-builder.ts";
import { type ContentText, joinContents, readBase64Image, readImageUrl } from "../image-field.ts";
import { type Fields, readBoolean, readObject, readOptional, readText } from "../read-fields.ts";
import { reportLeftOut } from "../tool-fields.ts";

/** @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED` naming the block */
export function toConversation(
  system: unknown,
  messages: readonly unknown[],
  warn: Warn,
): PromptMessage[] {
  const conversation = new ConversationBuilder();
  const leftOut: string[] = [];
  if (system !== undefined) {
    conversation.addText("system", readTextBlocks(system, "system").join("\n\n"));
  }
  if (messages.length === 0) {
    throw invalidField("messages", "messages: at least one message is required");
  }
  for (const [index, value] of messages.entries()) {
    const where = `messages.${index}`;
    addMessage(conversation, readObject(value, where), where, leftOut);
  }
  reportLeftOut(leftOut, warn);
  return conversation.messages;
}

/** @param leftOut gets the kinds of blocks that only Anthropic can read */
function addMessage(
  conversation: ConversationBuilder,
  message: Fields,
  where: string,
  leftOut: string[],
): void {
  const role = readText(message.role, `${where}.role`);
  const { content } = message;
  const place = `${where}.content`;
  if (role === "system") {
    conversation.addText("system", readTextBlocks(content, place).join("\n\n"));
  } else if (role !== "user" && role !== "assistant") {
    throw invalidField(
      `${where}.role`,
      `'${where}.role' is ${quoteShort(role)}, but must be one of user, assistant, system.`,
    );
  } else if (typeof content === "string") {
    conversation.addText(role, content);
  } else {
    addBlocks(conversation, role, readBlocks(content, place), place, leftOut);
  }
}

/** Joins adjacent text blocks; images stay between them. */
function addBlocks(
  conversation: ConversationBuilder,
  role: "user" | "assistant",
  blocks: readonly unknown[],
  where: string,
  leftOut: string[],
): void {
  // Clients send an empty answer back as they received it.
  let contents: ContentText[] = blocks.length === 0 ? [{ text: "", images: [] }] : [];
  const endText = () => {
    if (contents.length > 0) conversation.addContent(role, joinContents(contents));
    contents = [];
  };
  for (const [index, value] of blocks.entries()) {
    const place = `${where}.${index}`;
    const block = readObject(value, place);
    const type = readText(block.type, `${place}.type`);
    const isContent = role === "user" || textBlocks.includes(type);
    const seen = isContent ? readContentBlock(block, place) : undefined;
    if (seen !== undefined) {
      contents.push(seen);
    } else if (hostedBlocks.has(type)) {
      leftOut.push(type);
    } else {
      endText();
      addOtherBlock(conversation, `${role} ${type}`, block, place);
    }
  }
  endText();
}

function addOtherBlock(
  conversation: ConversationBuilder,
  kind: string,
  block: Fields,
  where: string,
): void {
  switch (kind) {
    case "assistant thinking":
      conversation.addThinking(readText(block.thinking, `${where}.thinking`));
      break;
    case "assistant redacted_thinking":
      // Encrypted: only Anthropic can read it.
      break;
    case "assistant tool_use":
      conversation.addCall({
        id: readText(block.id, `${where}.id`),
        name: readText(block.name, `${where}.name`),
        arguments: { ...readObject(block.input, `${where}.input`) },
      });
      break;
    case "user tool_result":
      conversation.addResult(
        readText(block.tool_use_id, `${where}.tool_use_id`),
        resultOf(block, where),
      );
      break;
    default:
      throw refusedBlock(kind.slice(kind.indexOf(" ") + 1), where);
  }
}

/** Templates have no field for a failed tool, so the text says it. */
function resultOf(block: Fields, where: string): ContentText {
  const content = readContentBlocks(block.content ?? "", `${where}.content`);
  const isError = readOptional(block.is_error, `${where}.is_error`, readBoolean) ?? false;
  return isError ? joinContents([{ text: "Error: ", images: [] }, content]) : content;
}

/** Kinds of blocks that are text in messages of both roles. */
const textBlocks = ["text", "compaction"];

/** Kinds of blocks about tools that only Anthropic runs, and about its own routing. */
const hostedBlocks: ReadonlySet<string> = new Set([
  "advisor_tool_result",
  "bash_code_execution_tool_result",
  "code_execution_tool_result",
  "container_upload",
  "fallback",
  "mcp_tool_listing",
  "mcp_tool_result",
  "mcp_tool_use",
  "server_tool_use",
  "text_editor_code_execution_tool_result",
  "tool_addition",
  "tool_removal",
  "tool_search_tool_result",
  "web_fetch_tool_result",
  "web_search_tool_result",
]);

/**
 * Reads a block of text or an image; undefined for other kinds.
 *
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`, `SERVER_IMAGE_REMOTE`
 */
function readContentBlock(block: Fields, where: string): ContentText | undefined {
  switch (block.type) {
    case "text":
      return { text: readText(block.text, `${where}.text`), images: [] };
    case "image":
      return { text: "", images: [readImage(block, where)] };
    case "document":
      return titled(block, where, readDocument(readObject(block.source, `${where}.source`), where));
    case "search_result":
      return titled(block, where, readContentBlocks(block.content, `${where}.content`));
    case "compaction":
      return { text: readOptional(block.content, `${where}.content`, readText) ?? "", images: [] };
    default:
      return undefined;
  }
}

/** @throws ProductError `SERVER_FIELD_UNSUPPORTED` for files that are not text */
function readDocument(source: Fields, where: string): ContentText {
  const type = readText(source.type, `${where}.source.type`);
  if (type === "text") {
    return { text: readText(source.data, `${where}.source.data`), images: [] };
  }
  if (type === "content") return readContentBlocks(source.content, `${where}.source.content`);
  throw unsupportedField(where, "this server cannot read documents; send their text");
}

/** Puts the title in a line of its own above a document's content. */
function titled(block: Fields, where: string, content: ContentText): ContentText {
  const title = readOptional(block.title, `${where}.title`, readText);
  if (title === undefined || title === "") return content;
  return joinContents([{ text: `${title}\n`, images: [] }, content]);
}

function readImage(block: Fields, where: string): ChatImage {
  const source = readObject(block.source, `${where}.source`);
  const type = readText(source.type, `${where}.source.type`);
  if (type === "base64") {
    const mimeType = readText(source.media_type, `${where}.source.media_type`);
    return readBase64Image(readText(source.data, `${where}.source.data`), where, mimeType);
  }
  if (type === "url") return readImageUrl(source.url, where);
  throw unsupportedField(`${where}.source.type`, `${quoteShort(type)} is not base64 or url`);
}

/** Joins texts and images. @throws ProductError naming the block */
function readContentBlocks(content: unknown, where: string): ContentText {
  if (typeof content === "string") return { text: content, images: [] };
  return joinContents(
    readBlocks(content, where).map((value, index) => {
      const place = `${where}.${index}`;
      const block = readObject(value, place);
      const type = readText(block.type, `${place}.type`);
      const read = readContentBlock(block, place);
      if (read === undefined) throw refusedBlock(type, place);
      return read;
    }),
  );
}

/**
 * @returns the text, or that of each block
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED` naming the block
 */
function readTextBlocks(content: unknown, where: string): string[] {
  if (typeof content === "string") return [content];
  return readBlocks(content, where).map((value, index) => {
    const place = `${where}.${index}`;
    const block = readObject(value, place);
    const type = readText(block.type, `${place}.type`);
    if (type !== "text") throw refusedBlock(type, place);
    return readText(block.text, `${place}.text`);
  });
}

function readBlocks(content: unknown, where: string): readonly unknown[] {
  if (Array.isArray(content)) return content;
  throw content === undefined || content === null
    ? invalidField(where, `${where} is required`)
    : invalidField(where, `'${where}' must be a string or an array of blocks.`);
}

const refusals: Readonly<Record<string, string>> = {
  image: "images belong in user messages and tool results",
};

function refusedBlock(type: string, where: string): ProductError {
  const refusal = Object.hasOwn(refusals, type) ? refusals[type] : undefined;
  if (refusal !== undefined) return unsupportedField(where, refusal);
  return unsupportedField(`${where}.type`, `${quoteShort(type)} is not allowed here`);
}

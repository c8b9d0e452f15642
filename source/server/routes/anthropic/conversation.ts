// `system` and `messages` as the conversation that a model sees.
import { quoteShort } from "../../../base/display-text.ts";
import type { PromptMessage } from "../../../prompt/prompt-template.ts";
import { invalidField } from "../../errors.ts";
import { ConversationBuilder } from "../conversation-builder.ts";
import { type ContentText, joinContents } from "../image-field.ts";
import { type Fields, readBoolean, readObject, readOptional, readText } from "../read-fields.ts";
import {
  readBlocks,
  readContentBlock,
  readContentBlocks,
  readTextBlocks,
  refusedBlock,
} from "./text-blocks.ts";

/** @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED` naming the block */
export function toConversation(system: unknown, messages: readonly unknown[]): PromptMessage[] {
  const conversation = new ConversationBuilder();
  if (system !== undefined) {
    conversation.addText("system", readTextBlocks(system, "system").join("\n\n"));
  }
  if (messages.length === 0) {
    throw invalidField("messages", "messages: at least one message is required");
  }
  for (const [index, value] of messages.entries()) {
    const where = `messages.${index}`;
    addMessage(conversation, readObject(value, where), where);
  }
  return conversation.messages;
}

function addMessage(conversation: ConversationBuilder, message: Fields, where: string): void {
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
    addBlocks(conversation, role, readBlocks(content, place), place);
  }
}

/** Text blocks that follow one another are one text; images stand between them. */
function addBlocks(
  conversation: ConversationBuilder,
  role: "user" | "assistant",
  blocks: readonly unknown[],
  where: string,
): void {
  // An answer without anything in it comes back as it was sent.
  let contents: ContentText[] = blocks.length === 0 ? [{ text: "", images: [] }] : [];
  const endText = () => {
    if (contents.length > 0) conversation.addContent(role, joinContents(contents));
    contents = [];
  };
  for (const [index, value] of blocks.entries()) {
    const place = `${where}.${index}`;
    const block = readObject(value, place);
    const type = readText(block.type, `${place}.type`);
    const seen = type === "text" || role === "user" ? readContentBlock(block, place) : undefined;
    if (seen !== undefined) {
      contents.push(seen);
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
      // Nobody but its author can read it.
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

/** Templates have no place for a failure, so the text says it. */
function resultOf(block: Fields, where: string): ContentText {
  const content = readContentBlocks(block.content ?? "", `${where}.content`);
  const isError = readOptional(block.is_error, `${where}.is_error`, readBoolean) ?? false;
  return isError ? joinContents([{ text: "Error: ", images: [] }, content]) : content;
}

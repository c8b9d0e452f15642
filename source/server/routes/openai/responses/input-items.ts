// Turns the input of a response, text or items, into the model's conversation.
import { quoteShort } from "../../../../base/display-text.ts";
import type { ChatImage } from "../../../../prompt/chat-message.ts";
import type { PromptMessage } from "../../../../prompt/prompt-template.ts";
import { invalidField, unsupportedField } from "../../../errors.ts";
import { ConversationBuilder } from "../../conversation-builder.ts";
import { type ContentText, joinContents, readImageUrl } from "../../image-field.ts";
import { type Fields, readList, readObject, readOptional, readText } from "../../read-fields.ts";

/**
 * @param instructions come before everything, as a system prompt
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED` naming the item
 */
export function toMessages(input: unknown, instructions: string | undefined): PromptMessage[] {
  const conversation = new ConversationBuilder();
  if (instructions !== undefined) conversation.addText("system", instructions);
  if (typeof input === "string") {
    conversation.addText("user", input);
    return conversation.messages;
  }
  if (input !== undefined && !Array.isArray(input)) {
    throw invalidField("input", "'input' must be a string or an array of items.");
  }
  const items = readList(input, "input");
  if (items.length === 0) {
    throw invalidField("input", "[] is too short - 'input': at least one item is needed.");
  }
  for (const [index, value] of items.entries()) {
    const where = `input.${index}`;
    addItem(conversation, readObject(value, where), where);
  }
  return conversation.messages;
}

function addItem(conversation: ConversationBuilder, item: Fields, where: string): void {
  // A message may omit its type.
  const type =
    readOptional(item.type, `${where}.type`, readText) ??
    (item.role === undefined ? undefined : "message");
  switch (type) {
    case "message":
      addMessage(conversation, item, where);
      break;
    case "reasoning":
      conversation.addThinking(reasoningOf(item, where));
      break;
    case "function_call":
      conversation.addCall({
        id: readText(item.call_id, `${where}.call_id`),
        name: readText(item.name, `${where}.name`),
        arguments: readArguments(item.arguments, `${where}.arguments`),
      });
      break;
    case "function_call_output": {
      const callId = readText(item.call_id, `${where}.call_id`);
      conversation.addResult(callId, readContent(item.output, `${where}.output`));
      break;
    }
    case undefined:
      throw invalidField(`${where}.type`, `${where}.type is required`);
    case "item_reference":
      throw unsupportedField(where, "responses are not stored; send the item itself");
    default:
      throw unsupportedField(`${where}.type`, `${quoteShort(type)} is not a supported item`);
  }
}

function addMessage(conversation: ConversationBuilder, item: Fields, where: string): void {
  const role = readText(item.role, `${where}.role`);
  const content = readContent(item.content, `${where}.content`);
  switch (role) {
    case "user":
    case "assistant":
    case "system":
      conversation.addContent(role, content);
      break;
    case "developer":
      // OpenAI's newer name; chat templates know the older one.
      conversation.addContent("system", content);
      break;
    default:
      throw invalidField(
        `${where}.role`,
        `'${where}.role' is ${quoteShort(role)}, but must be one of user, assistant, system, developer.`,
      );
  }
}

/** Returns the thinking, or its summary when there is none. */
function reasoningOf(item: Fields, where: string): string {
  const texts = (name: "content" | "summary") =>
    (readOptional(item[name], `${where}.${name}`, readList) ?? []).map((value, index) => {
      const place = `${where}.${name}.${index}`;
      return readText(readObject(value, place).text, `${place}.text`);
    });
  const content = texts("content").join("");
  const summary = texts("summary").join("\n\n");
  return content === "" ? summary : content;
}

function readArguments(value: unknown, where: string): Record<string, unknown> {
  try {
    return readObject(JSON.parse(readText(value, where)), where);
  } catch {
    throw invalidField(
      where,
      `invalid tool call arguments: '${where}' must be the text of a JSON object.`,
    );
  }
}

const textTypes: readonly unknown[] = ["input_text", "output_text", "text"];

/** @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`, `SERVER_IMAGE_REMOTE` */
function readContent(content: unknown, where: string): ContentText {
  if (typeof content === "string") return { text: content, images: [] };
  if (Array.isArray(content)) {
    return joinContents(content.map((part, index) => readPart(part, `${where}.${index}`)));
  }
  throw content === undefined || content === null
    ? invalidField(where, `${where} is required`)
    : invalidField(where, `'${where}' must be a string or an array of parts.`);
}

function readPart(value: unknown, where: string): ContentText {
  const part = readObject(value, where);
  const field = textTypes.includes(part.type) ? "text" : "refusal";
  if (field === "text" || part.type === "refusal") {
    return { text: readText(part[field], `${where}.${field}`), images: [] };
  }
  if (part.type === "input_image") return { text: "", images: [readImage(part, where)] };
  const refusals: Record<string, string> = {
    input_file: "this server cannot read files; send their text",
    input_audio: "audio input is not supported",
  };
  const type = readText(part.type, `${where}.type`);
  const refusal = Object.hasOwn(refusals, type) ? refusals[type] : undefined;
  if (refusal !== undefined) throw unsupportedField(where, refusal);
  throw unsupportedField(`${where}.type`, `${quoteShort(type)} is not a supported part`);
}

function readImage({ image_url, file_id }: Fields, where: string): ChatImage {
  if (typeof file_id === "string") {
    throw unsupportedField(`${where}.file_id`, "files are not stored; send the image itself");
  }
  return readImageUrl(image_url, where);
}

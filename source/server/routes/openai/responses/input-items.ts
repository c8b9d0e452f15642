// Turns the input of a response, text or items, into the model's conversation.
import { quoteShort } from "../../../../base/display-text.ts";
import type { ProductError } from "../../../../base/product-error.ts";
import type { ChatImage } from "../../../../prompt/chat-message.ts";
import type { PromptMessage } from "../../../../prompt/prompt-template.ts";
import { invalidField, unsupportedField } from "../../../errors.ts";
import { ConversationBuilder } from "../../conversation-builder.ts";
import { type ContentText, joinContents, readImageUrl } from "../../image-field.ts";
import { type Fields, readList, readObject, readOptional, readText } from "../../read-fields.ts";
import { addCall, isCall, isCallOutput, outputOf } from "./call-items.ts";
import type { OfferedTools } from "./offered-tools.ts";

/**
 * @param instructions come before everything, as a system prompt
 * @param tools gets those that items bring along, and the types of items that are left out
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED` naming the item
 */
export function toMessages(
  input: unknown,
  instructions: string | undefined,
  tools: OfferedTools,
): PromptMessage[] {
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
    addItem(conversation, readObject(value, where), where, tools);
  }
  if (conversation.messages.length === 0) {
    throw invalidField("input", "'input' has no item that the model can read.");
  }
  return conversation.messages;
}

function addItem(
  conversation: ConversationBuilder,
  item: Fields,
  where: string,
  tools: OfferedTools,
): void {
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
    case "additional_tools":
      tools.addAll(readList(item.tools, `${where}.tools`), `${where}.tools`);
      break;
    case "tool_search_output":
      tools.addAll(readList(item.tools, `${where}.tools`), `${where}.tools`);
      addResult(conversation, item, where);
      break;
    case undefined:
      throw invalidField(`${where}.type`, `${where}.type is required`);
    default:
      if (isCall(type)) addCall(conversation, item, type, where);
      else if (isCallOutput(type)) addResult(conversation, item, where);
      else if (hostedItems.has(type)) tools.leftOut.push(type);
      else throw unsupportedItem(type, where);
  }
}

function unsupportedItem(type: string, where: string): ProductError {
  const refusals: Readonly<Record<string, string>> = {
    item_reference: "responses are not stored; send the item itself",
    compaction: "only OpenAI can read it; send the conversation itself",
    compaction_trigger: "conversations are not compacted",
    configuration_update: "set 'reasoning' and 'text' in the request",
  };
  const refusal = Object.hasOwn(refusals, type) ? refusals[type] : undefined;
  if (refusal !== undefined) return unsupportedField(where, refusal);
  return unsupportedField(`${where}.type`, `${quoteShort(type)} is not a supported item`);
}

/** Items about tools that OpenAI's servers run. */
const hostedItems: ReadonlySet<string> = new Set([
  "code_interpreter_call",
  "computer_call",
  "computer_call_output",
  "file_search_call",
  "image_generation_call",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "mcp_list_tools",
  "program",
  "program_output",
  "web_search_call",
]);

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

function addResult(conversation: ConversationBuilder, item: Fields, where: string): void {
  // The output of a local shell names its call by the item's id.
  const callId = readOptional(item.call_id ?? item.id, `${where}.call_id`, readText);
  const output = outputOf(item, where);
  // What OpenAI's own search found belongs to no call of the model.
  if (callId === undefined && item.type === "tool_search_output") return;
  if (callId === undefined) throw invalidField(`${where}.call_id`, `${where}.call_id is required`);
  conversation.addResult(callId, readContent(output, `${where}.output`));
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

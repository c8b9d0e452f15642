// Renders the exact prompt of a conversation without loading the model.
import { Check } from "typebox/schema";
import { toOneLine } from "../../base/display-text.ts";
import { isRecord } from "../../base/json.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { renderSegments, segmentsText } from "../../engine/answer/chat-prompt.ts";
import { prepareChat } from "../../engine/answer/prepare-chat.ts";
import { readChatImages } from "../../engine/images/request-images.ts";
import { type ChatInput, plainChat, plainRequest } from "../../engine/request.ts";
import type { PromptMessage } from "../../prompt/prompt-template.ts";
import { serverErrors } from "../../server/errors.ts";
import { readImages } from "../../server/routes/image-field.ts";
import { toPromptMessage, toToolDefinition } from "../../server/routes/native/messages.ts";
import { NativeMessage, NativeTool } from "../../server/routes/native/schema.ts";
import { readVocabulary } from "../../store/gguf/vocabulary.ts";
import type { ResolvedModel } from "../../store/library/resolved-model.ts";

export interface RenderedPrompt {
  text: string;
  /** Its messages, including the model's own. */
  messages: readonly PromptMessage[];
}

const sample: PromptMessage[] = [
  { role: "user", content: "Hello!" },
  { role: "assistant", content: "Hello! How can I help you?" },
  { role: "user", content: "What is the capital of France?" },
];

/**
 * @param conversation JSON text: messages as `/api/chat` takes them, or an object with `messages`
 *   and `tools`; undefined: a sample chat
 * @param timeoutMs limit for rendering
 * @throws ProductError of the store or the prompt, `SERVER_FIELD_INVALID`; of images, as a request
 */
export async function renderPrompt(
  model: ResolvedModel,
  conversation: string | undefined,
  timeoutMs: number,
): Promise<RenderedPrompt> {
  const given = conversation === undefined ? plainChat(sample) : readConversation(conversation);
  const input = await readChatImages(given, model, model.name);
  const request = plainRequest({ model: model.name, isFileAllowed: () => true, input });
  const prepared = await prepareChat(request, input, model, { templateTimeoutMs: timeoutMs });
  const { messages } = prepared;
  const vocabulary = await readVocabulary(model.facts.path);
  const text = segmentsText(await renderSegments(prepared, messages, vocabulary));
  const { addsBos, bosText } = vocabulary;
  return { text: addsBos && !text.startsWith(bosText) ? bosText + text : text, messages };
}

/** @throws ProductError `SERVER_BODY_INVALID`, `SERVER_FIELD_INVALID` */
function readConversation(json: string): ChatInput {
  const value = parse(json);
  const list: unknown = Array.isArray(value) ? value : isRecord(value) ? value.messages : undefined;
  const tools: unknown = isRecord(value) ? (value.tools ?? []) : [];
  if (!Array.isArray(list)) throw invalid("it has no list of messages");
  if (!Array.isArray(tools)) throw invalid("its tools are not a list");
  return plainChat(
    list.map((message: unknown, index) => {
      const where = `messages.${index}`;
      if (Check(NativeMessage, message)) {
        return toPromptMessage(message, readImages(message.images, `${where}.images`), where);
      }
      throw invalid(`message ${index + 1} is not a valid /api/chat message`);
    }),
    {
      tools: tools.map((tool: unknown, index) => {
        if (Check(NativeTool, tool)) return toToolDefinition(tool);
        throw invalid(`tool ${index + 1} is not a valid /api/chat tool`);
      }),
    },
  );
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw invalid(`it is not JSON: ${toOneLine(describeError(error))}`);
  }
}

function invalid(reason: string): ProductError {
  return new ProductError(serverErrors.bodyInvalid, {
    message: `The conversation cannot be read: ${reason}.`,
    hint: 'Write it like [{"role": "user", "content": "Hello!"}].',
  });
}

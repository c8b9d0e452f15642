// Variables that a Jinja template gets for a conversation, and the forms in which it may want them.
import type { ToolDefinition } from "./chat-message.ts";
import type { ControlTextGuard } from "./control-text-guard.ts";
import { placeImages } from "./image-places.ts";
import { timeText } from "./jinja/time-text.ts";
import {
  type Conversation,
  continuesLastMessage,
  type PromptMessage,
  type TemplateModelFacts,
} from "./prompt-template.ts";

/** Differences between templates in how they want a conversation; transformers' form is all false. */
export interface ConversationForm {
  /** Contents are lists of parts, as some templates of vision models require. */
  asParts: boolean;
  /** Arguments of calls are JSON texts, as in OpenAI's API. */
  argumentsAsText: boolean;
  /** The system prompt is the beginning of the first question, for templates without a role for it. */
  systemInQuestion: boolean;
}

/** Returns the forms to try, in order; forms that change nothing in the conversation are left out. */
export function conversationForms({ messages }: Conversation): ConversationForm[] {
  const [first, second] = messages;
  const hasImages = messages.some(({ images = [] }) => images.length > 0);
  const hasCalls = messages.some(({ toolCalls = [] }) => toolCalls.length > 0);
  const hasSystem = first?.role === "system" && second?.role === "user";
  const choices = (applies: boolean) => (applies ? [false, true] : [false]);
  return choices(hasSystem).flatMap((systemInQuestion) =>
    choices(hasCalls).flatMap((argumentsAsText) =>
      choices(hasImages).map((asParts) => ({ asParts, argumentsAsText, systemInQuestion })),
    ),
  );
}

/** Unused characters that mark places in the rendered prompt. */
export interface Marks {
  /** End of the unfinished answer. */
  end: string;
  image: (number: number) => string;
  imagePattern: RegExp;
  guard: [open: string, close: string];
}

/** First private-use character; no template and hardly any text contains one. */
const firstMark = 0xf0000;

/** @param used text that contains none of the marks */
export function freeMarks(used: string): Marks {
  const free: string[] = [];
  for (let code = firstMark; free.length < 5; code += 1) {
    const character = String.fromCodePoint(code);
    if (!used.includes(character)) free.push(character);
  }
  const [end = "", open = "", close = "", guardOpen = "", guardClose = ""] = free;
  return {
    end,
    image: (number) => `${open}${number}${close}`,
    imagePattern: new RegExp(`${open}(\\d+)${close}`, "u"),
    guard: [guardOpen, guardClose],
  };
}

/** @param now date for templates that print it */
export function templateVariables(
  conversation: Conversation,
  model: TemplateModelFacts,
  guard: ControlTextGuard,
  marks: Marks,
  form: ConversationForm,
  now: Date,
): Record<string, unknown> {
  const tools = conversation.tools ?? [];
  const texts = contents(conversation, guard, marks);
  const messages = conversation.messages.map((message, index) => ({ message, index }));
  if (form.systemInQuestion) {
    messages.shift();
    texts[1] = `${texts[0]}\n${texts[1]}`;
  }
  return {
    messages: messages.map(({ message, index }) =>
      templateMessage(message, texts[index] ?? "", guard, form),
    ),
    // Templates test `if tools`, so an empty list must be false.
    tools: tools.length > 0 ? tools.map((tool) => templateTool(tool, guard)) : null,
    add_generation_prompt: conversation.addGenerationPrompt ?? !continuesLastMessage(conversation),
    bos_token: model.bosText,
    eos_token: model.eosText,
    // Source: llama.cpp, common/chat.cpp.
    datetime: timeText(now, "%b %d %Y"),
    date_string: timeText(now, "%d %b %Y"),
    ...guard.protectAll(conversation.variables ?? {}),
    ...thinkArguments(conversation),
  };
}

/** Returns the messages' texts, with marks for images and for the end of an unfinished answer. */
function contents(conversation: Conversation, guard: ControlTextGuard, marks: Marks): string[] {
  const continues = continuesLastMessage(conversation);
  let images = 0;
  return conversation.messages.map((message, index) => {
    const pieces = placeImages(message.content, message.images ?? []).map((piece) =>
      typeof piece === "string" ? guard.protect(piece) : marks.image(images + piece),
    );
    if (continues && index === conversation.messages.length - 1) pieces.push(marks.end);
    images += message.images?.length ?? 0;
    return pieces.join("");
  });
}

/** Returns the variables that templates use to turn thinking on or off. */
function thinkArguments({ think }: Conversation): Record<string, unknown> {
  if (think === undefined) return {};
  const thinks = think !== false;
  return {
    enable_thinking: thinks,
    thinking: thinks,
    ...(typeof think === "string" && { reasoning_effort: think }),
  };
}

function templateMessage(
  message: PromptMessage,
  text: string,
  guard: ControlTextGuard,
  { asParts, argumentsAsText }: ConversationForm,
): Record<string, unknown> {
  return {
    role: message.role,
    content: asParts ? [{ type: "text", text }] : text,
    // Templates use different names.
    ...(message.thinking !== undefined && {
      thinking: guard.protect(message.thinking),
      reasoning_content: guard.protect(message.thinking),
    }),
    ...(message.toolCalls !== undefined && {
      tool_calls: message.toolCalls.map((call) => ({
        id: guard.protect(call.id ?? ""),
        type: "function",
        function: guard.protectAll({
          name: call.name,
          arguments: argumentsAsText ? spacedJson(call.arguments) : call.arguments,
        }),
      })),
    }),
    ...(message.toolName !== undefined && { name: guard.protect(message.toolName) }),
    ...(message.toolCallId !== undefined && { tool_call_id: guard.protect(message.toolCallId) }),
  };
}

/** Writes JSON on one line, with the blanks that models write. Line breaks in strings are escaped. */
function spacedJson(value: unknown): string {
  return JSON.stringify(value, undefined, 1)
    .replaceAll(/([[{])\n */g, "$1")
    .replaceAll(/\n *([\]}])/g, "$1")
    .replaceAll(/\n */g, " ");
}

/** A tool without parameters gets an empty schema: many templates fail without one. */
function templateTool(tool: ToolDefinition, guard: ControlTextGuard): Record<string, unknown> {
  const { name, description, parameters = { type: "object", properties: {} } } = tool;
  return guard.protectAll({
    type: "function",
    function: { name, ...(description !== undefined && { description }), parameters },
  });
}

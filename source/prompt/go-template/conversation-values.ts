// Data of a Go template from a conversation: `.Messages`, `.System` and the rest.
import type { ChatImage, ChatRole, ToolCall } from "../chat-message.ts";
import { imageText, placeImages } from "../image-places.ts";
import { type Conversation, continuesLastMessage, type PromptMessage } from "../prompt-template.ts";
import { jsonText } from "./json-text.ts";
import { TemplateText } from "./template-text.ts";
import { jsonValue, outsideText, toolList } from "./tool-values.ts";
import { GoList, GoMap, GoStruct, type GoValue } from "./values.ts";

/** Message after neighbours of the same role were joined. */
interface JoinedMessage {
  role: ChatRole;
  content: TemplateText;
  thinking: TemplateText;
  imageCount: number;
  toolCalls: readonly ToolCall[];
  toolName: string;
  toolCallId: string;
}

/** Data of a template by name; missing values print nothing. */
export type TemplateData = Record<string, GoValue>;

const blankLine = TemplateText.of("\n\n", "outside");

/**
 * Joins neighbours of the same role into one message with blank lines between, except tool results, each
 * of which has its own name. Images become `[img-0]`, `[img-1]` in the text.
 */
function joinMessages(conversation: Conversation): JoinedMessage[] {
  const joined: JoinedMessage[] = [];
  const continued = continuesLastMessage(conversation) ? conversation.messages.at(-1) : undefined;
  let images = 0;
  for (const message of conversation.messages) {
    // An answer without text has not started: the template starts it.
    if (message === continued && message.content === "") break;
    const next = convert(message, images, message === continued);
    images += next.imageCount;
    const last = joined.at(-1);
    if (last?.role === next.role && next.role !== "tool") {
      joined[joined.length - 1] = {
        ...last,
        content: joinTexts([last.content, next.content]),
        thinking: joinTexts([last.thinking, next.thinking]),
        imageCount: last.imageCount + next.imageCount,
        toolCalls: [...last.toolCalls, ...next.toolCalls],
      };
    } else {
      joined.push(next);
    }
  }
  return joined;
}

function convert(message: PromptMessage, firstImage: number, continues: boolean): JoinedMessage {
  const { role, content, thinking = "", images = [], toolCalls = [] } = message;
  return {
    // Templates know only the older name of this role.
    role: role === "developer" ? "system" : role,
    content: withImages(content, firstImage, images, continues),
    thinking: outsideText(thinking),
    imageCount: images.length,
    toolCalls,
    toolName: message.toolName ?? "",
    toolCallId: message.toolCallId ?? "",
  };
}

function withImages(
  content: string,
  firstImage: number,
  images: readonly ChatImage[],
  continues: boolean,
): TemplateText {
  const origin = continues ? "prefill" : "outside";
  return TemplateText.join(
    placeImages(content.toWellFormed(), images).map((piece) =>
      typeof piece === "string"
        ? TemplateText.of(piece, origin)
        : TemplateText.of(imageText(firstImage + piece), "image"),
    ),
  );
}

function joinTexts(texts: readonly TemplateText[]): TemplateText {
  const present = texts.filter(({ pieces }) => pieces.length > 0);
  return TemplateText.join(present.flatMap((text, i) => (i === 0 ? [text] : [blankLine, text])));
}

/** Returns the data for a template that loops over `.Messages` itself. */
export function messagesData(conversation: Conversation): TemplateData {
  const messages = joinMessages(conversation);
  const systems = messages.filter(({ role }) => role === "system");
  return {
    System: joinTexts(systems.map(({ content }) => content)),
    Messages: new GoList(messages.map(messageStruct)),
    Tools: toolList(conversation.tools ?? []),
    Response: TemplateText.empty,
    ...thinkData(conversation),
  };
}

export function thinkData({ think }: Conversation): TemplateData {
  return {
    Think: think !== undefined && think !== false,
    ThinkLevel: TemplateText.of(typeof think === "string" ? think : ""),
    IsThinkSet: think !== undefined,
  };
}

function messageStruct(message: JoinedMessage): GoStruct {
  const fields = {
    Role: TemplateText.of(message.role),
    Content: message.content,
    Thinking: message.thinking,
    Images: new GoList(Array.from({ length: message.imageCount }, () => TemplateText.empty)),
    ToolCalls: new GoList(message.toolCalls.map(toolCallStruct)),
    ToolName: outsideText(message.toolName),
    ToolCallID: outsideText(message.toolCallId),
  };
  const json = new Map<string, GoValue>([
    ["role", fields.Role],
    ["content", fields.Content],
  ]);
  if (message.thinking !== TemplateText.empty) json.set("thinking", fields.Thinking);
  if (message.toolCalls.length > 0) json.set("tool_calls", fields.ToolCalls);
  if (message.toolName !== "") json.set("tool_name", fields.ToolName);
  if (message.toolCallId !== "") json.set("tool_call_id", fields.ToolCallID);
  return new GoStruct("Message", fields, () => new GoMap(json));
}

function toolCallStruct(call: ToolCall, index: number): GoStruct {
  const name = outsideText(call.name);
  const parsed = jsonValue(call.arguments);
  const entries = parsed instanceof GoMap ? parsed.entries : new Map<string, GoValue>();
  const args = new GoMap(entries, jsonText);
  const functionStruct = new GoStruct(
    "ToolCallFunction",
    { Index: BigInt(index), Name: name, Arguments: args },
    () =>
      new GoMap(
        new Map<string, GoValue>([
          ["name", name],
          ["arguments", args],
        ]),
      ),
  );
  const id = outsideText(call.id ?? "");
  const json = new Map<string, GoValue>(call.id === undefined ? [] : [["id", id]]);
  json.set("function", functionStruct);
  return new GoStruct("ToolCall", { ID: id, Function: functionStruct }, () => new GoMap(json));
}

/** Data of one round, for a template without `.Messages`: a question and its answer. */
interface Round {
  System: TemplateText;
  Prompt: TemplateText;
  Response: TemplateText;
}

/**
 * Returns the data of each round. The model's answer starts in the last one. A round ends before a system
 * text that follows anything else, and before a question that follows an answer. Such templates have no
 * place for tools and tool results.
 */
export function roundsData(conversation: Conversation): TemplateData[] {
  const rounds: Round[] = [];
  let round = emptyRound();
  const begin = () => {
    rounds.push(round);
    round = emptyRound();
  };
  for (const { role, content } of joinMessages(conversation)) {
    if (role === "system") {
      if (isText(round.Prompt) || isText(round.Response)) begin();
      round.System = content;
    } else if (role === "user") {
      if (isText(round.Response)) begin();
      round.Prompt = content;
    } else if (role === "assistant") {
      round.Response = content;
    }
  }
  return [...rounds, round].map((each) => ({ ...each, ...thinkData(conversation) }));
}

function emptyRound(): Round {
  return { System: TemplateText.empty, Prompt: TemplateText.empty, Response: TemplateText.empty };
}

function isText(text: TemplateText): boolean {
  return text.pieces.length > 0;
}

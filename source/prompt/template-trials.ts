// Trial conversations, which show what a template can do before anybody chats with the model.
import { ProductError } from "../base/product-error.ts";
import { ChatTemplate } from "./chat-template.ts";
import { promptErrors } from "./errors.ts";
import type { Conversation, PromptMessage, PromptTemplate } from "./prompt-template.ts";
import { renderInTime } from "./render-in-time.ts";

export type TrialName = "plain chats" | "system texts" | "tools" | "tool results";

/** A kind of conversation that a template cannot do. */
export interface UnsupportedConversation {
  conversation: TrialName;
  /** A sentence; where the template has a mistake, with its line. */
  reason: string;
  /** False: the template renders, but leaves out what the conversation is about. */
  fails: boolean;
}

interface Trial {
  conversation: Conversation;
  /** Text that its prompt must hold. */
  holds: string;
  /** What is left out where it does not. */
  what: string;
}

const question: PromptMessage = { role: "user", content: "What is the weather in Rome?" };
const weather = {
  name: "get_weather",
  description: "Tells the weather of a city.",
  parameters: {
    type: "object",
    properties: { city: { type: "string", description: "Name of the city" } },
    required: ["city"],
  },
};
// Templates of Mistral take ids of nine letters and digits alone.
const callId = "call00001";
const called: PromptMessage = {
  role: "assistant",
  content: "",
  toolCalls: [{ id: callId, name: weather.name, arguments: { city: "Rome" } }],
};
const result: PromptMessage = {
  role: "tool",
  content: "sunny",
  toolCallId: callId,
  toolName: weather.name,
};

const trials: Readonly<Record<TrialName, Trial>> = {
  "plain chats": {
    conversation: { messages: [question] },
    holds: question.content,
    what: "the user's message",
  },
  "system texts": {
    conversation: { messages: [{ role: "system", content: "You are brief." }, question] },
    holds: "You are brief.",
    what: "the system text",
  },
  tools: {
    conversation: { messages: [question], tools: [weather] },
    holds: weather.name,
    what: "the tools",
  },
  "tool results": {
    conversation: { messages: [question, called, result], tools: [weather] },
    holds: result.content,
    what: "the tool's result",
  },
};

const mostKnown = 64;
/** Models are shown again and again: what was found for a template's text is remembered. */
const known = new Map<string, UnsupportedConversation[]>();

/**
 * Renders the trials one after another, within `timeoutMs` altogether.
 *
 * @param toolSource the Jinja template that the model has for requests with tools
 * @returns those that the template cannot do; where one takes too long, the later ones are not tried
 */
export async function tryTemplate(
  template: PromptTemplate,
  toolSource: string | undefined,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<UnsupportedConversation[]> {
  const key = JSON.stringify([template.kind, template.source, toolSource]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const end = performance.now() + timeoutMs;
  const unsupported: UnsupportedConversation[] = [];
  for (const [name, trial] of Object.entries(trials) as Array<[TrialName, Trial]>) {
    try {
      const isOwn = trial.conversation.tools === undefined || toolSource === undefined;
      const chosen = isOwn ? template : new ChatTemplate(toolSource, { isForTools: true });
      const left = Math.max(1, Math.round(end - performance.now()));
      if (!(await rendersWhole(chosen, trial, left, signal))) {
        const reason = `The template leaves out ${trial.what}.`;
        unsupported.push({ conversation: name, reason, fails: false });
      }
    } catch (error) {
      if (!(error instanceof ProductError)) throw error;
      unsupported.push({ conversation: name, reason: error.message, fails: true });
      // A machine that is busy now may be quick the next time.
      if (error.code === promptErrors.templateTooCostly.code) return unsupported;
    }
  }
  if (known.size >= mostKnown) known.clear();
  known.set(key, unsupported);
  return unsupported;
}

async function rendersWhole(
  template: PromptTemplate,
  { conversation, holds }: Trial,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (conversation.tools !== undefined && !template.supportsTools) return false;
  const facts = { bosText: "<s>", eosText: "</s>", controlTexts: [] };
  const segments = await renderInTime(template, conversation, facts, timeoutMs, signal);
  return segments
    .map(({ text }) => text)
    .join("")
    .includes(holds);
}

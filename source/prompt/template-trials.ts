// Trial conversations that show what a template supports before anybody chats with the model.
import { ProductError } from "../base/product-error.ts";
import { ChatTemplate } from "./chat-template.ts";
import { promptErrors } from "./errors.ts";
import type { Conversation, PromptMessage, PromptTemplate } from "./prompt-template.ts";
import { renderInTime } from "./render-in-time.ts";

export type TrialName = "plain chats" | "system prompts" | "tools" | "tool results";

/** Kind of conversation that a template does not support. */
export interface UnsupportedConversation {
  conversation: TrialName;
  /** Sentence with the line of a mistake in the template, if any. */
  reason: string;
  /** True if rendering fails; false if the prompt lacks the part that the trial is about. */
  fails: boolean;
}

interface Trial {
  conversation: Conversation;
  /** Text that the prompt must contain. */
  holds: string;
  /** Name of that part, for the message. */
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
// Mistral's templates accept only ids of nine letters and digits.
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
  "system prompts": {
    conversation: { messages: [{ role: "system", content: "You are brief." }, question] },
    holds: "You are brief.",
    what: "the system prompt",
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

const maxKnown = 64;
/** Cached results by template text, since models are shown repeatedly. */
const known = new Map<string, UnsupportedConversation[]>();

/**
 * Renders the trials one after another, within `timeoutMs` in total.
 *
 * @param toolSource the model's Jinja template for requests with tools
 * @returns unsupported trials; those after one that takes too long are not tried
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
      // Not cached: a busy machine may be faster the next time.
      if (error.code === promptErrors.templateTooCostly.code) return unsupported;
    }
  }
  if (known.size >= maxKnown) known.clear();
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

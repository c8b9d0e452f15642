// The same results as Go's own text/template, and the same prompts as Ollama's template package. The
// tables come from golden/main.go.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { evaluateTemplate } from "../../../source/prompt/go-template/evaluator.ts";
import { isFunction } from "../../../source/prompt/go-template/functions.ts";
import { GoChatTemplate } from "../../../source/prompt/go-template/go-chat-template.ts";
import { parseTemplate } from "../../../source/prompt/go-template/parser.ts";
import { jsonValue } from "../../../source/prompt/go-template/tool-values.ts";
import type { Conversation, PromptMessage } from "../../../source/prompt/prompt-template.ts";
import { fullLimits, RenderBudget } from "../../../source/prompt/render-budget.ts";
import { TemplateFault } from "../../../source/prompt/template-fault.ts";
import { joined } from "./render.ts";

function read<T>(file: string): T {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, "golden", file), "utf8"));
}

/** Missing values print nothing here; Go prints a placeholder. */
function withoutNoValue(text: string): string {
  return text.replaceAll("<no value>", "");
}

describe("the language", () => {
  const { data } = read<{ data: unknown }>("language-cases.json");
  const results =
    read<Array<{ template: string; output?: string; error?: string }>>("language-results.json");
  const render = (template: string): string =>
    evaluateTemplate(
      parseTemplate(template, isFunction),
      jsonValue(data),
      { now: new Date() },
      new RenderBudget(fullLimits(5000)),
    ).plain;

  it("has a table that covers it", () => {
    expect(results.length).toBeGreaterThan(1000);
    expect(results.filter(({ error }) => error !== undefined).length).toBeGreaterThan(200);
  });

  it.each(results.filter(({ output }) => output !== undefined))(
    "renders $template as Go does",
    ({ template, output = "" }) => {
      expect(render(template)).toBe(withoutNoValue(output));
    },
  );

  it.each(results.filter(({ error }) => error !== undefined))(
    "refuses $template as Go does",
    ({ template }) => {
      expect(() => render(template)).toThrow(TemplateFault);
    },
  );

  it.each(["%#v", "%b", "%o", "%O", "%U", "%#x", "% x"])("says that printf has no %s", (verb) => {
    expect(() => render(`{{ printf "${verb}" .text }}`)).toThrow(/is not supported here/);
  });
});

interface StoredConversation {
  messages: Array<{
    role: PromptMessage["role"];
    content: string;
    thinking?: string;
    tool_name?: string;
    tool_call_id?: string;
    tool_calls?: Array<{
      id?: string;
      function: { name: string; arguments: Record<string, unknown> };
    }>;
  }>;
  tools?: Array<{
    function: { name: string; description: string; parameters: Record<string, unknown> };
  }>;
  think?: boolean | "low";
  suffix?: string;
}

function conversationOf({ messages, tools, ...rest }: StoredConversation): Conversation {
  return {
    ...rest,
    tools: (tools ?? []).map((tool) => tool.function),
    // Ollama leaves it to the template whether an unfinished answer is closed.
    addGenerationPrompt: true,
    messages: messages.map(
      ({ role, content, thinking, tool_name, tool_call_id, tool_calls }): PromptMessage => ({
        role,
        content,
        ...(thinking !== undefined && { thinking }),
        ...(tool_name !== undefined && { toolName: tool_name }),
        ...(tool_call_id !== undefined && { toolCallId: tool_call_id }),
        ...(tool_calls !== undefined && {
          toolCalls: tool_calls.map(({ id, function: called }) => ({ id, ...called })),
        }),
      }),
    ),
  };
}

describe("conversations", () => {
  const { templates, conversations } = read<{
    templates: Record<string, string>;
    conversations: Record<string, StoredConversation>;
  }>("conversation-cases.json");
  const results = read<Array<{ template: string; conversation: string; prompt: string }>>(
    "conversation-results.json",
  );
  const facts = { bosText: "", eosText: "", controlTexts: [] };
  const find = (template: string, conversation: string) => ({
    template: new GoChatTemplate(templates[template] ?? ""),
    conversation: conversationOf(conversations[conversation] ?? { messages: [] }),
  });

  it("have a table of every template with every conversation", () => {
    expect(results.length).toBe(11 * 17);
  });

  it.each(results)("$template, $conversation: as Ollama writes it", (result) => {
    const { template, conversation } = find(result.template, result.conversation);
    if (conversation.suffix !== undefined && !template.supportsInsert) {
      expect(() => template.render(conversation, facts)).toThrow(/does not support insert/);
    } else {
      const prompt = joined(template.render(conversation, facts));
      expect(prompt).toBe(withoutNoValue(result.prompt));
    }
  });
});

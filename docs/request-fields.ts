// Decisions about every field, tool and content of OpenAI's and Anthropic's requests. A test compares the
// names with the official clients' types and tries each decision on a server.

/**
 * `used`; `noEffect`, accepted, since the answer is the same; `leftOut`, which the reply reports, since only
 * the vendor can run it; `refused`, since the answer would be wrong.
 */
export type Decision = "used" | "noEffect" | "leftOut" | "refused";

export interface RequestPart {
  title: string;
  /** Declarations of the official client, and the type with these names. */
  file: string;
  type: string;
  /** The type is an interface with fields, or a union of objects with a `type`. */
  holds: "fields" | "kinds";
  decisions: Partial<Record<Decision, readonly string[]>>;
}

const openai = "openai/resources";
const anthropic = "@anthropic-ai/sdk/resources/beta/messages/messages.d.ts";

export const requestParts: readonly RequestPart[] = [
  {
    title: "chat completions",
    file: `${openai}/chat/completions/completions.d.ts`,
    type: "ChatCompletionCreateParamsBase",
    holds: "fields",
    decisions: {
      used: [
        "messages",
        "model",
        "frequency_penalty",
        "logit_bias",
        "logprobs",
        "max_completion_tokens",
        "max_tokens",
        "n",
        "parallel_tool_calls",
        "presence_penalty",
        "reasoning_effort",
        "response_format",
        "seed",
        "stop",
        "stream",
        "stream_options",
        "temperature",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
      ],
      noEffect: [
        "metadata",
        "prediction",
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "safety_identifier",
        "service_tier",
        "store",
        "user",
        "verbosity",
      ],
      leftOut: ["moderation", "web_search_options"],
      refused: ["audio", "function_call", "functions", "modalities"],
    },
  },
  {
    title: "tools of chat completions",
    file: `${openai}/chat/completions/completions.d.ts`,
    type: "ChatCompletionTool",
    holds: "kinds",
    decisions: { used: ["function"], refused: ["custom"] },
  },
  {
    title: "content of chat completions",
    file: `${openai}/chat/completions/completions.d.ts`,
    type: "ChatCompletionContentPart",
    holds: "kinds",
    decisions: { used: ["text", "image_url"], refused: ["input_audio", "file"] },
  },
  {
    title: "completions",
    file: `${openai}/completions.d.ts`,
    type: "CompletionCreateParamsBase",
    holds: "fields",
    decisions: {
      used: [
        "model",
        "prompt",
        "echo",
        "frequency_penalty",
        "logit_bias",
        "logprobs",
        "max_tokens",
        "n",
        "presence_penalty",
        "seed",
        "stop",
        "stream",
        "stream_options",
        "suffix",
        "temperature",
        "top_p",
      ],
      noEffect: ["user"],
      refused: ["best_of"],
    },
  },
  {
    title: "embeddings",
    file: `${openai}/embeddings.d.ts`,
    type: "EmbeddingCreateParams",
    holds: "fields",
    decisions: { used: ["input", "model", "dimensions", "encoding_format"], noEffect: ["user"] },
  },
  {
    title: "messages",
    file: anthropic,
    type: "MessageCreateParamsBase",
    holds: "fields",
    decisions: {
      used: [
        "max_tokens",
        "messages",
        "model",
        "output_config",
        "output_format",
        "stop_sequences",
        "stream",
        "system",
        "thinking",
        "tool_choice",
        "tools",
      ],
      noEffect: [
        "betas",
        "billing_policy",
        "cache_control",
        "context_management",
        "diagnostics",
        "fallback_credit_token",
        "fallbacks",
        "inference_geo",
        "metadata",
        "service_tier",
        "speed",
        "user_profile_id",
        "workspace_id",
      ],
      leftOut: ["container", "mcp_servers"],
      refused: ["compaction", "thread"],
    },
  },
  {
    title: "token counts of messages",
    file: anthropic,
    type: "MessageCountTokensParams",
    holds: "fields",
    decisions: {
      used: [
        "messages",
        "model",
        "output_config",
        "output_format",
        "system",
        "thinking",
        "tool_choice",
        "tools",
      ],
      noEffect: [
        "betas",
        "billing_policy",
        "cache_control",
        "context_management",
        "speed",
        "user_profile_id",
        "workspace_id",
      ],
      leftOut: ["mcp_servers"],
      refused: ["compaction"],
    },
  },
  {
    title: "tools of messages",
    file: anthropic,
    type: "BetaToolUnion",
    holds: "kinds",
    decisions: {
      used: [
        "custom",
        "bash_20241022",
        "bash_20250124",
        "memory_20250818",
        "text_editor_20241022",
        "text_editor_20250124",
        "text_editor_20250429",
        "text_editor_20250728",
      ],
      leftOut: [
        "advisor_20260301",
        "browser_toolset_20260801",
        "code_execution_20250522",
        "code_execution_20250825",
        "code_execution_20260120",
        "code_execution_20260521",
        "computer_20241022",
        "computer_20250124",
        "computer_20251124",
        "computer_toolset_20260801",
        "mcp_toolset",
        "tool_search_tool_bm25",
        "tool_search_tool_bm25_20251119",
        "tool_search_tool_regex",
        "tool_search_tool_regex_20251119",
        "web_fetch_20250910",
        "web_fetch_20260209",
        "web_fetch_20260309",
        "web_fetch_20260318",
        "web_search_20250305",
        "web_search_20260209",
        "web_search_20260318",
      ],
    },
  },
  {
    title: "content of messages",
    file: anthropic,
    type: "BetaContentBlockParam",
    holds: "kinds",
    decisions: {
      used: [
        "text",
        "image",
        "document",
        "search_result",
        "thinking",
        "tool_use",
        "tool_result",
        "compaction",
      ],
      noEffect: ["redacted_thinking"],
      leftOut: [
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
      ],
    },
  },
];

/** Returns a row for each part of a request. */
export function renderRequestFields(): string {
  const columns: readonly Decision[] = ["used", "noEffect", "leftOut", "refused"];
  const rows = requestParts.map(({ title, decisions }) => {
    const cells = columns.map((decision) =>
      (decisions[decision] ?? []).map((name) => `\`${name}\``).join(", "),
    );
    return `| ${title} | ${cells.join(" | ")} |`;
  });
  return [
    "| of | used | accepted without effect | left out and reported | refused |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

// Anthropic's Claude Code, pointed at the server by its environment alone.
import { type Agent, answerTokens, type Endpoint, json, keyOf, keyVariable } from "./agent.ts";

/** Claude Code refuses a smaller value, and then assumes its own. */
const minCompactWindow = 100_000;

export const claude: Agent = {
  name: "claude",
  title: "Claude Code",
  install: ["npm", "install", "-g", "@anthropic-ai/claude-code"],
  route: "/v1/messages",
  promptTokens: 12_000,
  tried: "2.1.330",
  oneTask: (task) => ["-p", task],
  setUp: (endpoint) => ({
    // An empty key keeps it from using the user's own.
    environment: {
      ANTHROPIC_AUTH_TOKEN: keyOf(endpoint),
      ANTHROPIC_API_KEY: "",
      ...variables(endpoint),
    },
  }),
  ownConfiguration: (endpoint) => ({
    file: "~/.claude/settings.json",
    text: json({
      env: {
        ...(endpoint.key === undefined && { ANTHROPIC_AUTH_TOKEN: keyOf(endpoint) }),
        ...variables(endpoint),
      },
      ...(endpoint.key !== undefined && { apiKeyHelper: `printenv ${keyVariable}` }),
    }),
  }),
  repeats:
    "A block at the start of its system prompt and a counter in its messages change in every request: `CLAUDE_CODE_ATTRIBUTION_HEADER=0` and `CLAUDE_CODE_TOTAL_TOKENS_REMINDER=off` turn them off, and the server's setting `stable_prompts` leaves them out for clients that were started otherwise. Its notes on folder and skills come after the first question, and are read with it (about 2,000 tokens).",
};

function variables(endpoint: Endpoint): Record<string, string> {
  const { url, model, contextLength } = endpoint;
  const names = ["OPUS", "SONNET", "HAIKU"].map((size) => `ANTHROPIC_DEFAULT_${size}_MODEL`);
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_MODEL: model,
    ...Object.fromEntries(names.map((name) => [name, model])),
    CLAUDE_CODE_SUBAGENT_MODEL: model,
    CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(contextLength),
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(answerTokens(endpoint)),
    ...(contextLength >= minCompactWindow && {
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(contextLength),
    }),
    CLAUDE_CODE_ATTRIBUTION_HEADER: "0",
    CLAUDE_CODE_TOTAL_TOKENS_REMINDER: "off",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
}

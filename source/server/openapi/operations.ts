// Summaries of the routes for the OpenAPI document.

export const tags = {
  OpenAI: "What clients of OpenAI's API call.",
  Anthropic: "What clients of Anthropic's API call.",
  Native: "What clients of Ollama's API call.",
  Models: "What models there are.",
  Operations: "What the server does.",
} as const;

export type Tag = keyof typeof tags;

/** Keyed by method and pattern. Routes without an entry are documented by their path alone. */
export const operations: Readonly<Record<string, readonly [tag: Tag, summary: string]>> = {
  "POST /v1/chat/completions": ["OpenAI", "Answer a conversation."],
  "POST /v1/completions": ["OpenAI", "Continue a text."],
  "POST /v1/embeddings": ["OpenAI", "Embed texts."],
  "POST /v1/responses": ["OpenAI", "Answer an input; nothing is stored."],
  "POST /v1/audio/transcriptions": ["OpenAI", "Not supported: replies 501."],
  "GET /v1/models": ["OpenAI", "List models."],
  "GET /v1/models/*": ["OpenAI", "Show a model; its name may contain slashes."],
  "POST /v1/messages": ["Anthropic", "Answer a conversation."],
  "POST /v1/messages/count_tokens": ["Anthropic", "Count the tokens of a conversation."],
  "POST /api/generate": ["Native", "Answer a prompt, or load or unload a model."],
  "POST /api/chat": ["Native", "Answer a conversation."],
  "POST /api/embed": ["Native", "Embed texts."],
  "POST /api/embeddings": ["Native", "Embed one text (older form)."],
  "POST /api/tokenize": ["Native", "Tokenize a text."],
  "POST /api/detokenize": ["Native", "Turn tokens into text."],
  "POST /api/cancel": ["Native", "Cancel a running request."],
  "GET /api/tags": ["Models", "List models."],
  "GET /api/ps": ["Models", "List loaded models."],
  "POST /api/show": ["Models", "Show a model."],
  "POST /api/create": ["Models", "Create a model from another one or from files."],
  "POST /api/copy": ["Models", "Give a model another name."],
  "DELETE /api/delete": ["Models", "Remove a model."],
  "POST /api/pull": ["Models", "Fetch a model from the hub."],
  "POST /api/push": ["Models", "Send a model to a registry."],
  "POST /api/blobs/:digest": ["Models", "Upload a file for a model; HEAD tells if it is there."],
  "GET /api/hub/search": ["Models", "Search models on the hub."],
  "GET /api/hub/repository": ["Models", "List the quantizations in a repository."],
  "GET /api/hub/card": ["Models", "Show a repository's model card."],
  "GET /api/capacity": ["Models", "Show free memory and disk space."],
  "GET /": ["Operations", "Check that the server is running."],
  "GET /health": ["Operations", "Check that the model of --preload is loaded; 503 before that."],
  "GET /api/version": ["Operations", "Show the server's version."],
  "GET /api/requests": ["Operations", "List requests; follow streams changes."],
  "GET /api/requests/:id": ["Operations", "Show a request, with its texts if recorded."],
  "POST /api/recording": ["Operations", "Turn recording of prompts, answers and bodies on or off."],
  "GET /api/metrics": ["Operations", "Show current load; follow streams every second."],
  "GET /metrics": ["Operations", "Metrics for Prometheus."],
  "GET /openapi.json": ["Operations", "This document."],
};

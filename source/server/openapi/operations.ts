// One sentence on each route for the OpenAPI document.

export const tags = {
  OpenAI: "What clients of OpenAI's API call.",
  Anthropic: "What clients of Anthropic's API call.",
  Native: "What clients of Ollama's API call.",
  Models: "What models there are.",
  Operations: "What the server does.",
} as const;

export type Tag = keyof typeof tags;

/** By method and pattern. A route that is not here is still in the document, by its path alone. */
export const operations: Readonly<Record<string, readonly [tag: Tag, summary: string]>> = {
  "POST /v1/chat/completions": ["OpenAI", "Answer a conversation."],
  "POST /v1/completions": ["OpenAI", "Continue a text."],
  "POST /v1/embeddings": ["OpenAI", "Turn texts into vectors."],
  "POST /v1/responses": ["OpenAI", "Answer an input, without keeping it."],
  "POST /v1/audio/transcriptions": ["OpenAI", "Not offered: answers 501."],
  "GET /v1/models": ["OpenAI", "The models that there are."],
  "GET /v1/models/*": ["OpenAI", "One model; its name may hold slashes."],
  "POST /v1/messages": ["Anthropic", "Answer a conversation."],
  "POST /v1/messages/count_tokens": ["Anthropic", "Count the tokens of a conversation."],
  "POST /api/generate": ["Native", "Answer a prompt, or load or unload a model."],
  "POST /api/chat": ["Native", "Answer a conversation."],
  "POST /api/embed": ["Native", "Turn texts into vectors."],
  "POST /api/embeddings": ["Native", "Turn one text into a vector, as older clients ask."],
  "POST /api/tokenize": ["Native", "The tokens of a text."],
  "POST /api/detokenize": ["Native", "The text of tokens."],
  "POST /api/cancel": ["Native", "End a running request by its id."],
  "GET /api/tags": ["Models", "The models that there are."],
  "GET /api/ps": ["Models", "The models that are loaded."],
  "POST /api/show": ["Models", "What is known of a model."],
  "POST /api/create": ["Models", "Make a model from another one or from a file."],
  "POST /api/copy": ["Models", "Give a model another name."],
  "DELETE /api/delete": ["Models", "Remove a model."],
  "POST /api/pull": ["Models", "Fetch a model from the hub."],
  "POST /api/push": ["Models", "Send a model to a registry."],
  "POST /api/blobs/:digest": ["Models", "Upload a file for a model; HEAD tells if it is there."],
  "GET /api/hub/search": ["Models", "Repositories of the hub that hold models to pull."],
  "GET /api/hub/repository": ["Models", "The quantizations that a repository of the hub offers."],
  "GET /api/hub/card": ["Models", "What the makers of a repository of the hub say of it."],
  "GET /api/capacity": ["Models", "How much room there is for models, in memory and on disk."],
  "GET /": ["Operations", "Whether a server is here."],
  "GET /api/version": ["Operations", "Which server and version this is."],
  "GET /api/requests": ["Operations", "What was asked, filtered; follow goes on with each change."],
  "GET /api/requests/:id": [
    "Operations",
    "One request; with what was said where that is recorded.",
  ],
  "POST /api/recording": ["Operations", "Begin or end recording prompts, answers and bodies."],
  "GET /api/metrics": ["Operations", "What the machine does; follow goes on each second."],
  "GET /metrics": ["Operations", "Counts and times for Prometheus."],
  "GET /openapi.json": ["Operations", "This document."],
};

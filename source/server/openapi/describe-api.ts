// GET /openapi.json: a document of all routes, generated from the schemas that also check requests.
import swagger from "@fastify/swagger";
import type { FastifyInstance, FastifySchema } from "fastify";

const tags = {
  OpenAI: "Routes of OpenAI's API.",
  Anthropic: "Routes of Anthropic's API.",
  Native: "Routes of Ollama's API, and additions to it.",
  Models: "Models in the store and on the hub.",
  Operations: "State of the server, and its requests.",
} as const;

type Tag = keyof typeof tags;

/** Tag and summary of each route, by method and pattern. Routes without an entry are documented by their path alone. */
export const operations: Readonly<Record<string, readonly [tag: Tag, summary: string]>> = {
  "POST /v1/chat/completions": ["OpenAI", "Answer a conversation."],
  "POST /v1/completions": ["OpenAI", "Continue a text."],
  "POST /v1/embeddings": ["OpenAI", "Embed texts."],
  "POST /v1/rerank": ["OpenAI", "Order documents by their relevance for a query."],
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
  "POST /api/apply-template": [
    "Native",
    "Show the prompt of a conversation, and count its tokens.",
  ],
  "POST /apply-template": ["OpenAI", "The same, for a conversation as in chat completions."],
  "POST /api/tokenize": ["Native", "Tokenize a text."],
  "POST /api/detokenize": ["Native", "Turn tokens into text."],
  "POST /api/answer-now": ["Native", "End the thinking of a running request."],
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
  "GET /api/hub/recommended": ["Models", "Recommend models of the hub for this machine."],
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

/** Must be called before routes are registered. */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  // Built on the first request: few servers are asked for it.
  let replies: typeof import("./replies.ts") | undefined;
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "modelctl",
        version,
        description: "Local language models behind the APIs of OpenAI, Anthropic and Ollama.",
      },
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer" },
          header: { type: "apiKey", name: "x-api-key", in: "header" },
        },
      },
      // An empty requirement allows calls without a key.
      security: [{ bearer: [] }, { header: [] }, {}],
    },
    transform: ({ schema, url, route }) => {
      const method = String(Array.isArray(route.method) ? route.method[0] : route.method);
      const operation = operations[`${method} ${url}`];
      // Only for the document: a reply schema on the route would drop fields from its replies.
      const response = replies?.describedReplies(method, url);
      const described: FastifySchema = { ...schema, response };
      if (operation !== undefined) {
        const [tag, summary] = operation;
        Object.assign(described, { tags: [tag], summary });
      }
      // Names may contain slashes; OpenAPI has no pattern for them.
      return { schema: described, url: url.replace("*", ":model") };
    },
  });
  app.get("/openapi.json", async () => {
    replies ??= await import("./replies.ts");
    return app.swagger();
  });
}

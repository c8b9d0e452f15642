// GET /openapi.json: a document of all routes, made from the schemas that also check their requests.
import swagger from "@fastify/swagger";
import type { FastifyInstance, FastifySchema } from "fastify";
import { operations, tags } from "./operations.ts";

/** To be called before the routes are registered: it listens for them. */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  // Most servers are never asked for the document: its schemas are made for the first who asks.
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
      // None at all is enough where the server asks for no key.
      security: [{ bearer: [] }, { header: [] }, {}],
    },
    transform: ({ schema, url, route }) => {
      const method = String(Array.isArray(route.method) ? route.method[0] : route.method);
      const operation = operations[`${method} ${url}`];
      // Of the document alone: a schema of the route's own would cut its replies.
      const response = replies?.describedReplies(method, url);
      const described: FastifySchema = { ...schema, response };
      if (operation !== undefined) {
        const [tag, summary] = operation;
        Object.assign(described, { tags: [tag], summary });
      }
      // Names may hold slashes, which a document has no pattern for.
      return { schema: described, url: url.replace("*", ":model") };
    },
  });
  app.get("/openapi.json", async () => {
    replies ??= await import("./replies.ts");
    return app.swagger();
  });
}

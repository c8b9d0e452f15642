// GET /openapi.json: a document of all routes, made from the schemas that also check their requests.
import swagger from "@fastify/swagger";
import type { FastifyInstance, FastifySchema } from "fastify";
import { operations, tags } from "./operations.ts";
import { describedReplies } from "./replies.ts";

/** To be called before the routes are registered: it listens for them. */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
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
      const described: FastifySchema = { ...schema, response: describedReplies(method, url) };
      if (operation !== undefined) {
        const [tag, summary] = operation;
        Object.assign(described, { tags: [tag], summary });
      }
      // Names may hold slashes, which a document has no pattern for.
      return { schema: described, url: url.replace("*", ":model") };
    },
  });
  app.get("/openapi.json", async () => app.swagger());
}

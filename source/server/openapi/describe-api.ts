// GET /openapi.json: document of all routes, made from the schemas that also check requests.
import swagger from "@fastify/swagger";
import type { FastifyInstance, FastifySchema } from "fastify";
import { operations, tags } from "./operations.ts";

/** Call before registering routes: it listens for them. */
export async function describeApi(app: FastifyInstance, version: string): Promise<void> {
  // Few servers are asked for the document, so it is built on the first request.
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

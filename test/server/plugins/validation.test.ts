// Errors about a wrong value name its field and the allowed values.
import { beforeAll, expect, test } from "vitest";
import { sharedServer } from "../../support/shared-server.ts";
import type { TestServer } from "../../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await sharedServer();
});

const user = { role: "user", content: "Hello!" };
const tool = (type: unknown) => ({ type, function: { name: "f" } });

test.each([
  ["/api/chat", { model: 1 }, "'model' must be a string."],
  ["/api/chat", { keep_alive: true }, "'keep_alive' must be a string or a number."],
  ["/api/chat", { options: [] }, "'options' must be an object."],
  ["/api/chat", { messages: [{}] }, "messages.0.role is required"],
  [
    "/api/chat",
    { messages: [{ role: "user", content: [] }] },
    "'messages.0.content' must be a string or null.",
  ],
  [
    "/api/chat",
    { messages: [user], tools: [tool("retrieval")] },
    `'tools.0.type' must be "function" or null.`,
  ],
  ["/api/generate", { context: [1.5] }, "'context.0' must be an integer."],
  ["/api/chat", [], "The body must be an object."],
  ["/v1/responses", { truncation: "some" }, `'truncation' must be "auto" or "disabled".`],
  ["/v1/chat/completions", { n: 9 }, "'n' must be <= 8."],
])("%s %j: %s", async (route, body, says) => {
  const named = Array.isArray(body) ? body : { model: "tiny", ...body };
  const { status, json } = await server.post(route, named);
  const { error } = json as { error: string | { message: string } };
  expect([status, typeof error === "string" ? error : error.message]).toEqual([400, says]);
});

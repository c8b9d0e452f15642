// An MCP server over streamable HTTP, with one tool, for clients that send the right token.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import {
  fromJsonSchema,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";

/** @returns its address; it stops with the test */
export async function serveMcp(token: string): Promise<string> {
  const mcp = new McpServer({ name: "tides", version: "1.0.0" });
  mcp.registerTool(
    "get_tide",
    {
      description: "Get the tide of a harbour",
      inputSchema: fromJsonSchema<{ harbour: string }>({
        type: "object",
        properties: { harbour: { type: "string" } },
        required: ["harbour"],
      }),
    },
    ({ harbour }) => ({ content: [{ type: "text" as const, text: `High tide in ${harbour}` }] }),
  );
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
  });
  await mcp.connect(transport);
  const server = createServer(async (request, reply) => {
    if (request.headers.authorization !== `Bearer ${token}`) {
      reply.writeHead(401, { "www-authenticate": 'Bearer resource_metadata="/.well-known"' }).end();
      return;
    }
    const { method = "GET", url = "/" } = request;
    const body = method === "POST" ? { body: Readable.toWeb(request), duplex: "half" } : {};
    const answer = await transport.handleRequest(
      new Request(new URL(url, address), {
        method,
        headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ...body,
      } as RequestInit),
    );
    reply.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) reply.end();
    else for await (const piece of answer.body) reply.write(piece);
    reply.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    await mcp.close();
    server.closeAllConnections();
    server.close();
  });
  return `${address}/mcp`;
}

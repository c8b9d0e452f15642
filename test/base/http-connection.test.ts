// Refused connections are closed, even if the client keeps its side open.
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { answerMalformed as answerAtGateway } from "../../source/cloud/gateway/malformed-request.ts";
import { answerUnreadable } from "../../source/server/plugins/request-limits.ts";
import { until } from "../support/until.ts";

test.each<[name: string, answer: (error: Error, socket: Socket) => void]>([
  ["the server", answerUnreadable],
  [
    "the gateway",
    (error, socket) => answerAtGateway(error, socket, { headerBytes: 1024, isReplying: false }),
  ],
])("%s closes a connection whose head drips, after its 408", async (_, answer) => {
  const server = createServer({ headersTimeout: 200, connectionsCheckingInterval: 50 });
  let open = 0;
  server.on("connection", (socket) => {
    open += 1;
    socket.once("close", () => {
      open -= 1;
    });
  });
  server.on("clientError", answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  client.on("error", () => {}); // the reset that follows is not ours to judge
  let reply = "";
  client.setEncoding("utf8").on("data", (text: string) => {
    reply += text;
  });
  try {
    client.write("GET / HTTP/1.1\r\nHost: local");
    await until(
      () => ({ reply, open }),
      (seen) => seen.reply !== "" && seen.open === 0,
    );
    expect(reply).toMatch(/^HTTP\/1\.1 408 /);
  } finally {
    client.destroy();
    server.close();
  }
});

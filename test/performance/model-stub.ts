// A model server without a model, in a process of its own: what proxies are measured with. Tells its
// port, and ends with its parent.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const models = JSON.stringify({
  object: "list",
  data: Array.from({ length: 4 }, (_, index) => ({ id: `model-${index}`, object: "model" })),
});
const poured = Buffer.alloc(64 * 1024, "x");

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://stub");
  request.resume();
  switch (url.pathname) {
    case "/stream":
      stream(response, Number(url.searchParams.get("pieces")), Number(url.searchParams.get("ms")));
      return;
    case "/idle":
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: {}\n\n");
      return;
    case "/pour":
      pour(response, Number(url.searchParams.get("bytes")));
      return;
    default:
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(models),
      });
      response.end(models);
  }
});
// A connection that is closed amid a measurement would measure something else.
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit(0));

/** Events that hold the time of their sending, which all processes of the machine share. */
function stream(response: ServerResponse, pieces: number, everyMs: number): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  let left = pieces;
  const timer = setInterval(() => {
    if (left > 0) response.write(`data: ${process.hrtime.bigint()}\n\n`);
    left -= 1;
    if (left >= 0) return;
    clearInterval(timer);
    response.end("data: [DONE]\n\n");
  }, everyMs);
  response.once("close", () => clearInterval(timer));
}

function pour(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { "content-length": bytes });
  let left = bytes;
  const write = () => {
    while (left > 0) {
      const piece = left < poured.length ? poured.subarray(0, left) : poured;
      left -= piece.length;
      if (response.write(piece)) continue;
      response.once("drain", write);
      return;
    }
    response.end();
  };
  write();
}

// Stand-in for a model server, in a separate process, for measuring proxies. Sends its port to its
// parent and exits with it.

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
// Keeps idle connections open, as closing one would distort a measurement.
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit(0));

/** Events with the time of their sending, from a clock that all processes share. */
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

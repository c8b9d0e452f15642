// A server that only reports a busy machine.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Reports a busy machine once a second, like a server. */
export async function startSampleServer(): Promise<Server> {
  const server = createServer((request, reply) => {
    reply.writeHead(200, { "content-type": "application/x-ndjson" });
    if (!request.url?.startsWith("/api/metrics")) return void reply.end("{}");
    const send = () => reply.write(`${JSON.stringify(randomSample())}\n`);
    send();
    const timer = setInterval(send, 1000);
    reply.once("close", () => clearInterval(timer));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

export function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function randomSample(): object {
  const gpu = {
    ...{ name: "A card", load: Math.random(), temperatureCelsius: 60 },
    ...{ memoryUsedBytes: 8e9 * Math.random(), memoryTotalBytes: 12e9, powerWatts: 100 },
  };
  const tokensPerSecond = 90 + 20 * Math.random();
  const model = {
    tokensPerSecond,
    names: ["tiny:latest"],
    ...{
      name: "tiny:latest",
      state: "busy",
      running: 1,
      waiting: 1,
      ramBytes: 1e9,
      vramBytes: 1e9,
    },
    ...{ slots: 4, contextLength: 8192, cacheBytes: 1e9, cacheType: "f16", loadFraction: 1 },
  };
  return {
    time: Date.now(),
    cpu: { cores: 8, load: Math.random() },
    memory: { totalBytes: 32e9, usedBytes: 16e9 * Math.random(), processBytes: 2e8 },
    gpus: [gpu],
    models: [model],
    requests: { running: 1, waiting: 1, longestWaitMs: 100, contextTokens: 3000 },
    tokensPerSecond,
    uptimeMs: 1e6,
  };
}

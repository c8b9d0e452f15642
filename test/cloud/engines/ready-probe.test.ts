// Readiness and health of a server by the answer to its check path.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { healthOf, readinessOf } from "../../../source/cloud/engines/ready-probe.ts";
import { onLoopback, type ReplicaAddress } from "../../../source/cloud/replica-address.ts";

const limitMs = 10_000;

let server: Server;
let address: ReplicaAddress;
beforeAll(async () => {
  // Answers /204 with 204.
  server = createServer(({ url = "" }, response) => {
    response.writeHead(Number(url.slice(1)) || 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = onLoopback((server.address() as AddressInfo).port);
});
afterAll(() => server.close());

it.each([
  ["/200", undefined, "ready", "healthy"],
  ["/401", undefined, "ready", "healthy"],
  ["/500", undefined, "loading", "failing"],
  ["/503", undefined, "loading", "failing"],
  ["/204", 204, "ready", "healthy"],
  ["/200", 204, "loading", "failing"],
  ["/401", 200, "loading", "failing"],
  ["/404", 200, "loading", "failing"],
  ["/503", 503, "ready", "healthy"],
])("%s with %s expected is %s", async (path, status, readiness, health) => {
  expect(await readinessOf(address, { path, status }, limitMs)).toBe(readiness);
  expect(await healthOf(address, { path, status }, true, limitMs)).toBe(health);
});

it("a server without the path is ready when it lists models", async () => {
  expect(await readinessOf(address, { path: "/health", status: undefined }, limitMs)).toBe("ready");
});

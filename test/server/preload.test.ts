// A model that is loaded at startup: /health reports when it is ready.
import { afterEach, expect, test } from "vitest";
import { TestServer } from "../support/test-server.ts";

let server: TestServer;
afterEach(async () => await server.close());

test("the server is healthy once the model is loaded", async () => {
  server = await TestServer.start({}, { preload: "tiny" });
  expect((await server.send("/health")).status).toBe(503);
  await server.hosted.preloaded;
  expect(await server.send("/health")).toMatchObject({ status: 200, json: { status: "ok" } });
  expect((await server.loaded()).map(({ name }) => name)).toEqual(["tiny:latest"]);
});

test("a model that does not exist is reported, and requests are served", async () => {
  server = await TestServer.start({}, { preload: "no-such" });
  await expect(server.hosted.preloaded).rejects.toMatchObject({ exitCode: 3 });
  expect((await server.send("/health")).status).toBe(200);
  expect(server.log.join()).toContain("cannot preload no-such");
});

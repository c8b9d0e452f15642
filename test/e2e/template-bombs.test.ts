// A model's template that takes all the time there is costs its own request, and nobody else's.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestServer } from "../support/test-server.ts";
import { toolTemplateTiny } from "../support/tiny-variants.ts";

const folder = mkdtempSync(path.join(tmpdir(), "modelctl-bombs-"));
const bomb = `{{ tools | length }}${"{% for a in range(3000) %}".repeat(3)}x${"{% endfor %}".repeat(3)}`;
let server: TestServer;

beforeAll(async () => {
  writeFileSync(path.join(folder, "bomb.gguf"), toolTemplateTiny(bomb));
  writeFileSync(
    path.join(folder, "tools.gguf"),
    toolTemplateTiny("<|im_start|>{{ tools | length }}"),
  );
  server = await TestServer.start({ model_folders: [folder], template_timeout: 1000 });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
const messages = [{ role: "user", content: "Hello!" }];

describe("a template for requests with tools", () => {
  test("is used where a request has tools", async () => {
    const body = {
      model: path.join(folder, "tools.gguf"),
      messages,
      tools,
      stream: false,
      _debug_render_only: true,
    };
    const { json } = await server.post("/api/chat", body);
    expect(JSON.stringify(json)).toContain("<|im_start|>1");
  });

  test("that never ends costs its own request alone", async () => {
    const slow = server.post("/api/chat", {
      model: path.join(folder, "bomb.gguf"),
      messages,
      tools,
      stream: false,
    });
    const order: string[] = [];
    await Promise.all([
      slow.then(({ status, json }) => {
        order.push("bomb");
        expect(status).toBe(400);
        expect(JSON.stringify(json)).toContain("longer than 1 s");
      }),
      server.send("/api/version").then(() => order.push("version")),
    ]);
    expect(order).toEqual(["version", "bomb"]);
  });
});

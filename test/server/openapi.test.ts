// The OpenAPI document: every route, with the schema that its requests are checked against.
import { beforeAll, expect, test } from "vitest";
import { operations } from "../../source/server/openapi/describe-api.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

interface Operation {
  summary?: string;
  tags?: string[];
  requestBody?: { content: Record<string, { schema: { properties: Record<string, unknown> } }> };
  parameters?: Array<{ name: string; in: string; required?: boolean }>;
  responses: Record<string, unknown>;
}

interface Document {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
}

let server: TestServer;
let document: Document;
beforeAll(async () => {
  server = await sharedServer();
  document = (await server.send("/openapi.json")).json as Document;
});

const all = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

test("names the program and its version", () => {
  expect(document).toMatchObject({ openapi: "3.1.0", info: { title: "modelctl" } });
});

test("has exactly the routes that are documented", () => {
  const named = Object.keys(operations).map((key) => {
    const [method = "", path = ""] = key.split(" ");
    const pattern = path.replaceAll(/:(\w+)/g, "{$1}").replaceAll("*", "{model}");
    return `${method.toLowerCase()} ${pattern}`;
  });
  expect(
    all()
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  ).toEqual(named.sort());
  for (const { path, method, operation } of all()) {
    expect({ path, method, ...operation }).toMatchObject({
      summary: expect.any(String),
      tags: [expect.any(String)],
    });
  }
});

test("describes bodies and queries as they are validated", () => {
  const chat = document.paths["/v1/chat/completions"]?.post?.requestBody?.content;
  expect(Object.keys(chat?.["application/json"]?.schema.properties ?? {})).toEqual(
    expect.arrayContaining(["model", "messages", "tools", "response_format", "stream"]),
  );
  const query = document.paths["/api/requests"]?.get?.parameters ?? [];
  expect(query.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["filter", "status", "limit", "follow"]),
  );
});

test("declares every path parameter", () => {
  for (const { path, operation } of all()) {
    const declared = (operation.parameters ?? []).filter((entry) => entry.in === "path");
    const used = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
    expect(declared.map(({ name }) => name)).toEqual(used);
  }
});

test("resolves every reference", () => {
  const text = JSON.stringify(document);
  for (const [, reference = ""] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = reference
      .split("/")
      .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);
    expect(found).toBeDefined();
  }
});

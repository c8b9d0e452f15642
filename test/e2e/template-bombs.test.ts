// Endless or invalid templates, which only affect their own request.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Home } from "../support/command-line.ts";
import { type NativeRecord, recordsOf } from "../support/ndjson.ts";
import { TestServer } from "../support/test-server.ts";
import { templateTiny, toolTemplateTiny } from "../support/tiny-variants.ts";

const folder = mkdtempSync(path.join(tmpdir(), "modelctl-bombs-"));
const endless = `${"{% for a in range(3000) %}".repeat(3)}x${"{% endfor %}".repeat(3)}`;
/** Ends as soon as a worker has started, unlike an endless one. */
const large = "{{ [0] * 2000000000 }}";
const unreadable = [
  {
    name: "mistake",
    template: "{# chat #}\n{% for m in messages %}\n{{ m.content | }}\n{% endfor %}",
    says: /line 3, column \d+, at `}}`\): expected a name/,
  },
  {
    name: "open",
    template: "{# chat #}\n{% for m in messages %}\n{{ m.content }}",
    says: /line 2, column 1, at `{% for m in messages %}`\): .*`endfor` is missing/,
  },
];
// Stops by either limit: the speed of the machine decides which comes first.
const stopped = /longer than 0\.\d+ s|more than \d+ list items/;
const tooLarge = /more than \d+ list items/;
let server: TestServer;

beforeAll(async () => {
  writeFileSync(path.join(folder, "bomb.gguf"), toolTemplateTiny(`{{ tools | length }}${endless}`));
  writeFileSync(
    path.join(folder, "tools.gguf"),
    toolTemplateTiny("<|im_start|>{{ tools | length }}"),
  );
  writeFileSync(path.join(folder, "all.gguf"), templateTiny(large));
  for (const { name, template } of unreadable) {
    writeFileSync(path.join(folder, `${name}.gguf`), templateTiny(template));
  }
  writeFileSync(path.join(folder, "Modelfile"), "FROM ./all.gguf\n");
  server = await TestServer.start({
    models: path.join(folder, "models"),
    model_folders: [folder],
    template_timeout: 300,
  });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
const messages = [{ role: "user", content: "Hello!" }];

describe("a template for requests with tools", () => {
  test("is used when a request has tools", async () => {
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

  test("that never ends fails only its own request", async () => {
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
        expect(JSON.stringify(json)).toMatch(stopped);
      }),
      server.send("/api/version").then(() => order.push("version")),
    ]);
    expect(order).toEqual(["version", "bomb"]);
  });
});

describe("a template for every chat that is too large", () => {
  const warning = expect.stringMatching(
    new RegExp(`does not support plain chats\\. The model's chat template .*${tooLarge.source}`),
  );

  test("does not block /api/show, which reports it", async () => {
    const { status, json } = await server.post("/api/show", {
      model: path.join(folder, "all.gguf"),
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      template_origin: {
        origin: "gguf",
        unsupported: [
          { conversation: "plain chats", reason: expect.stringContaining("was stopped") },
        ],
      },
    });
  });

  test("does not block /api/create, which warns of it", async () => {
    const body = { model: "bomb", modelfile: `FROM ${path.join(folder, "all.gguf")}` };
    const statuses = (await recordsOf(server, "/api/create", body)).map(
      ({ status }: NativeRecord) => status,
    );
    expect(statuses.slice(-2)).toEqual([warning, "success"]);
    const { json } = await server.post("/api/create", { ...body, stream: false });
    expect(json).toEqual({ status: "success", warnings: [warning] });
  });

  test("fails every command that renders it", async () => {
    const home = await Home.create();
    const environment = { MODELCTL_TEMPLATE_TIMEOUT: "50ms" };
    const run = (...words: string[]) => home.call(words, { environment, folder });
    const [slow, shown, rendered, created] = await Promise.all([
      run("show", "./bomb.gguf"),
      run("show", "./all.gguf"),
      run("show", "./all.gguf", "--rendered"),
      run("create", "bomb"),
    ]);
    expect(slow).toMatchObject({
      code: 0,
      output: expect.stringMatching(/Does not support tools: .* longer than 0\.0\d+ s/),
    });
    expect(shown).toMatchObject({
      code: 0,
      output: expect.stringContaining("Does not support plain chats: The model's chat template"),
    });
    expect(rendered).toMatchObject({ code: 2, output: "" });
    expect(rendered.errors).toMatch(tooLarge);
    expect(created).toMatchObject({ code: 0, errors: expect.stringContaining("Warning: ") });
    expect(created.errors).toEqual(warning);
    await home.remove();
  });
});

describe.each(unreadable)("an invalid template: $name", ({ name, says }) => {
  const file = path.join(folder, `${name}.gguf`);
  const why = expect.stringMatching(says);

  test("is created with a warning, and shown with its line", async () => {
    const body = { model: name, modelfile: `FROM ${file}`, stream: false };
    const { json } = await server.post("/api/create", body);
    expect(json).toEqual({ status: "success", warnings: [why] });
    const shown = await server.post("/api/show", { model: name });
    expect(shown).toMatchObject({ status: 200, json: { template_origin: { reason: why } } });
  });

  test("fails chats with 400, and other models answer", async () => {
    const [native, openai, other] = await Promise.all([
      server.post("/api/chat", { model: file, messages }),
      server.post("/v1/chat/completions", { model: file, messages }),
      server.ask("What is 2 + 3?"),
    ]);
    expect(native).toMatchObject({ status: 400, json: { error: why } });
    expect(openai).toMatchObject({ status: 400, json: { error: { message: why } } });
    expect(other).toBe("2 + 3 = 5");
  });
});

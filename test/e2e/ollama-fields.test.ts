// Fields of the native API with wrong types, and invalid model names: all refused with an explanation.
import fc from "fast-check";
import type { TObject } from "typebox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EmbedBody, EmbeddingsBody } from "../../source/server/routes/native/embed.ts";
import { CancelBody } from "../../source/server/routes/native/requests.ts";
import {
  ChatBody,
  GenerateBody,
  NativeMessage,
  NativeTool,
  NativeToolCall,
} from "../../source/server/routes/native/schema.ts";
import { DetokenizeBody, TokenizeBody } from "../../source/server/routes/native/tokens.ts";
import { parameterKinds } from "../../source/store/model-parameters.ts";
import { parseLines } from "../support/ndjson.ts";
import { isProof, proofRounds } from "../support/proof.ts";
import { sharedServer } from "../support/shared-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await sharedServer();
});
afterAll(async () => {
  // After thousands of bad requests the model still answers.
  await server.untilQuiet();
  expect(await server.ask("What is 2 + 3?")).toBe("2 + 3 = 5");
});

const model = "tiny";
const question = { role: "user", content: "Hello!" };
const options = { num_predict: 1 };
const bases: Record<string, Record<string, unknown>> = {
  "/api/generate": { model, prompt: "Hello!", options, stream: false },
  "/api/chat": { model, messages: [question], options, stream: false },
  "/api/embed": { model, input: "" },
  "/api/embeddings": { model, prompt: "" },
  "/api/tokenize": { model, content: "Hello!" },
  "/api/detokenize": { model, tokens: [1] },
  "/api/cancel": { id: "r-1" },
};

// Values of each JSON type. Null means "not given", which is always valid.
const text = fc.oneof(fc.string({ maxLength: 40 }), fc.constantFrom("true", "1", "json", "null"));
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -1, 1e300, 2 ** 53),
);
const fraction = fc.double({ min: 0.01, max: 0.99, noNaN: true });
const flag = fc.boolean();
const object = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 3,
});
const list = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 });
const mixed = (wrong: fc.Arbitrary<unknown>) => fc.array(wrong, { minLength: 1, maxLength: 3 });

type Wrong = Record<string, fc.Arbitrary<unknown>>;
const noText = fc.oneof(number, flag, object, list);
const noFlag = fc.oneof(text, number, object, list);
const noInteger = fc.oneof(text, flag, object, list, fraction);
const noObject = fc.oneof(text, number, flag, list);
const noList = fc.oneof(text, number, flag, object);

const modelFields: Wrong = {
  model: noText,
  keep_alive: fc.oneof(flag, object, list, fc.constantFrom("", "soon", "5 parsecs", "1x")),
  options: noObject,
};
const answerFields: Wrong = {
  ...modelFields,
  stream: noFlag,
  logprobs: noFlag,
  top_logprobs: fc.oneof(noInteger, fc.integer({ max: -1 }), fc.integer({ min: 21 })),
  progress: noFlag,
  think: fc.oneof(
    number,
    object,
    list,
    text.filter((value) => !["low", "medium", "high", "max"].includes(value)),
  ),
  format: fc.oneof(
    number,
    flag,
    list,
    text.filter((value) => value !== "" && value !== "json"),
  ),
  truncate: noFlag,
  shift: noFlag,
  _debug_render_only: noFlag,
};
const images = fc.oneof(noList, mixed(noText), fc.constantFrom(["a"], ["====="], ["\u00e9"]));

const wrongFields: Record<string, Wrong> = {
  "/api/generate": {
    ...answerFields,
    prompt: noText,
    system: noText,
    raw: noFlag,
    suffix: noText,
    template: fc.oneof(noText, fc.constantFrom("{{", "{{ end }}", "{{ nothing }}")),
    context: fc.oneof(noList, mixed(fc.oneof(text, flag, object, list, fraction))),
    images,
  },
  "/api/chat": {
    ...answerFields,
    messages: fc.oneof(text, number, flag, object, mixed(noObject)),
    tools: fc.oneof(noList, mixed(noObject)),
  },
  "/api/embed": {
    ...modelFields,
    input: fc.oneof(number, flag, object, mixed(noText)),
    truncate: noFlag,
    dimensions: fc.oneof(noInteger, fc.integer({ max: -1 })),
  },
  "/api/embeddings": { ...modelFields, prompt: noText, truncate: noFlag },
  "/api/tokenize": {
    model: noText,
    keep_alive: answerFields.keep_alive ?? noText,
    content: noText,
    prompt: noText,
    add_special: noFlag,
  },
  "/api/detokenize": {
    model: noText,
    keep_alive: answerFields.keep_alive ?? noText,
    tokens: fc.oneof(noList, mixed(fc.oneof(text, flag, object, list, fraction))),
  },
  "/api/cancel": { id: noText },
};

const noRole = text.filter(
  (value) => !["system", "developer", "user", "assistant", "tool"].includes(value.toLowerCase()),
);
const wrongMessages: Wrong = {
  role: fc.oneof(noText, noRole),
  content: noText,
  thinking: noText,
  images,
  tool_calls: fc.oneof(noList, mixed(noObject)),
  tool_name: noText,
  tool_call_id: noText,
};
const wrongCalls: Wrong = { id: noText, function: noObject };
const wrongCalledFunctions: Wrong = {
  index: noInteger,
  name: noText,
  arguments: fc.oneof(noObject, fc.constant('{"city":"Paris"}')),
};
const wrongTools: Wrong = { type: fc.oneof(noText, text), function: noObject };
const wrongToolFunctions: Wrong = {
  name: fc.oneof(noText, fc.constant("")),
  description: noText,
  parameters: noObject,
};

/** Attempts for each field. */
const tries = isProof ? 50 : 8;
let cases = 0;

async function expectRefusal(path: string, body: unknown, says?: RegExp): Promise<void> {
  cases += 1;
  const { status, json } = await server.post(path, body);
  expect([status, json]).toEqual([
    400,
    {
      error: says === undefined ? expect.stringMatching(/./) : expect.stringMatching(says),
      code: expect.any(String),
    },
  ]);
}

async function tryAll(values: fc.Arbitrary<unknown>, check: (value: unknown) => Promise<void>) {
  await fc.assert(fc.asyncProperty(values, check), { numRuns: tries });
}

const rows = (wrong: Wrong) => Object.entries(wrong).map(([field, values]) => ({ field, values }));
const keysOf = (schema: TObject) => Object.keys(schema.properties).toSorted();

describe("fields of the wrong type", () => {
  test("cover every field in the routes' schemas", () => {
    const known: Array<[Wrong, TObject]> = [
      [wrongFields["/api/generate"] ?? {}, GenerateBody],
      [wrongFields["/api/chat"] ?? {}, ChatBody],
      [wrongFields["/api/embed"] ?? {}, EmbedBody],
      [wrongFields["/api/embeddings"] ?? {}, EmbeddingsBody],
      [wrongFields["/api/tokenize"] ?? {}, TokenizeBody],
      [wrongFields["/api/detokenize"] ?? {}, DetokenizeBody],
      [wrongFields["/api/cancel"] ?? {}, CancelBody],
      [wrongMessages, NativeMessage],
      [wrongCalls, NativeToolCall],
      [wrongCalledFunctions, NativeToolCall.properties.function],
      [wrongTools, NativeTool],
      [wrongToolFunctions, NativeTool.properties.function],
    ];
    for (const [wrong, schema] of known) {
      expect(Object.keys(wrong).toSorted()).toEqual(keysOf(schema));
    }
  });

  const top = Object.entries(wrongFields).flatMap(([path, wrong]) =>
    rows(wrong).map((row) => ({ path, ...row })),
  );

  test.each(top)("$path names $field", async ({ path, field, values }) => {
    const says = field === "images" ? /images|base64/ : new RegExp(field.replace(/s$/, ""), "i");
    await tryAll(values, (value) => expectRefusal(path, { ...bases[path], [field]: value }, says));
  });

  test.each(rows(wrongMessages))("a message's $field", async ({ field, values }) => {
    await tryAll(values, (value) =>
      expectRefusal("/api/chat", { model, messages: [question, { ...question, [field]: value }] }),
    );
  });

  test.each(rows(wrongCalls))("a tool call's $field", async ({ field, values }) => {
    const call = { function: { name: "f", arguments: {} } };
    await tryAll(values, (value) => {
      const message = { role: "assistant", tool_calls: [{ ...call, [field]: value }] };
      return expectRefusal("/api/chat", { model, messages: [question, message] }, /tool_calls/);
    });
  });

  test.each(rows(wrongCalledFunctions))("a called function's $field", async ({ field, values }) => {
    await tryAll(values, (value) => {
      const call = { function: { name: "f", arguments: {}, [field]: value } };
      const message = { role: "assistant", tool_calls: [call] };
      return expectRefusal("/api/chat", { model, messages: [question, message] }, /tool_calls/);
    });
  });

  test.each(rows(wrongTools))("a tool's $field", async ({ field, values }) => {
    const tool = { type: "function", function: { name: "f" } };
    await tryAll(
      values.filter((value) => value !== "function"),
      (value) =>
        expectRefusal(
          "/api/chat",
          { model, messages: [question], tools: [{ ...tool, [field]: value }] },
          /tools/,
        ),
    );
  });

  test.each(rows(wrongToolFunctions))("a tool function's $field", async ({ field, values }) => {
    await tryAll(values, (value) =>
      expectRefusal(
        "/api/chat",
        { model, messages: [question], tools: [{ function: { name: "f", [field]: value } }] },
        /tools/,
      ),
    );
  });

  const wrongKinds = {
    integer: fc.oneof(text, flag, object, list),
    number: fc.oneof(text, flag, object, list),
    boolean: fc.oneof(text, number, object, list),
    strings: fc.oneof(text, number, flag, object, mixed(noText)),
    "cache type": fc.oneof(text, number, flag, object, list),
    "split mode": fc.oneof(text, number, flag, object, list),
    "spec type": fc.oneof(text, number, flag, object, list),
    model: fc.oneof(fc.constant(""), number, flag, object, list),
    shares: fc.oneof(fc.constantFrom("", "x", "3;1", "0,0"), number, flag, object, list),
  };

  test.each(Object.entries(parameterKinds))("the option %s", async (name, { kind }) => {
    await tryAll(wrongKinds[kind], (value) =>
      expectRefusal(
        "/api/generate",
        { model, prompt: "Hello!", options: { [name]: value } },
        new RegExp(`^option "${name}" must be of type`),
      ),
    );
  });

  test("include at least 700 cases", () => {
    expect(cases).toBeGreaterThanOrEqual(700);
  });
});

test("any JSON body gets an answer or an error below 500", async () => {
  const field = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(...keysOf(GenerateBody), ...keysOf(ChatBody), "input"),
    },
    { weight: 1, arbitrary: fc.string({ maxLength: 10 }) },
  );
  const body = fc.dictionary(
    field,
    fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom("tiny", "Hello!", [question], { num_predict: 2 }, "json", "{{ .Prompt }}"),
    ),
    { maxKeys: 6 },
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(bases)), body, async (path, fields) => {
      // Limits the answer, whatever the other fields are.
      const own = fields.options as Record<string, unknown> | undefined;
      const isObject = typeof own === "object" && own !== null && !Array.isArray(own);
      const cut = isObject || own === undefined || own === null ? { ...own, num_predict: 1 } : own;
      const { status, text: reply } = await server.post(path, {
        ...bases[path],
        ...fields,
        options: cut,
      });
      expect([200, 400, 403, 404]).toContain(status);
      const last = parseLines(reply).at(-1) ?? {};
      if (status === 200) expect(last).not.toHaveProperty("error");
      else expect(last.error).toMatch(/./);
    }),
    { numRuns: proofRounds(2000) },
  );
});

describe("invalid model names", () => {
  const missing = (name: string) => `model '${name}' not found`;
  const pullable = (name: string) => `model "${name}" not found, try pulling it first`;
  const table: Array<{
    path: string;
    absent: [number, string];
    notFound: (name: string) => string;
  }> = [
    { path: "/api/generate", absent: [404, "model '' not found"], notFound: missing },
    { path: "/api/chat", absent: [400, "model is required"], notFound: missing },
    { path: "/api/embed", absent: [404, "model '' not found"], notFound: pullable },
    { path: "/api/embeddings", absent: [400, "model is required"], notFound: pullable },
    { path: "/api/tokenize", absent: [400, "model is required"], notFound: missing },
    { path: "/api/detokenize", absent: [400, "model is required"], notFound: missing },
  ];
  const errorOf = async (path: string, name: unknown) => {
    const { status, json } = await server.post(path, { ...bases[path], model: name });
    return { status, error: (json as { error: string }).error };
  };

  test.each(table)("$path", async ({ path, absent, notFound }) => {
    for (const name of ["", null, undefined]) {
      const { status, error } = await errorOf(path, name);
      expect([name, status, error.startsWith(absent[1])]).toEqual([name, absent[0], true]);
    }
    for (const name of ["a b", "x:", ":y", "a/b/c/d", "-x", "x".repeat(81)]) {
      const { status, error } = await errorOf(path, name);
      expect([name, status, error]).toEqual([
        name,
        400,
        expect.stringMatching(/^invalid model name/),
      ]);
    }
    for (const name of ["nobody", "nobody:q4", "owner/nobody", "hf.co/owner/nobody:Q4_K_M"]) {
      const { status, error } = await errorOf(path, name);
      expect([status, error.startsWith(notFound(name))]).toEqual([404, true]);
    }
    for (const name of ["llama3:cloud", "llama3:8b-cloud"]) {
      expect((await errorOf(path, name)).status).toBe(400);
    }
    for (const name of ["tiny", "TINY:latest", "tiny:local", "library/tiny"]) {
      expect((await errorOf(path, name)).status).toBe(200);
    }
  });
});

describe("request bodies", () => {
  const paths = Object.keys(bases);

  test.each(paths)("%s describes a wrong one", async (path) => {
    const missing = await server.send(path, { method: "POST" });
    expect([missing.status, missing.json]).toEqual([
      400,
      expect.objectContaining({ error: "missing request body" }),
    ]);
    for (const body of ["{", "[]", "null", '"tiny"', "model=tiny", "\ufeff{}"]) {
      const { status, json } = await server.post(path, body);
      expect([body, status, json]).toEqual([
        body,
        400,
        { error: expect.stringMatching(/./), code: expect.any(String) },
      ]);
    }
  });

  test.each(paths)("%s ignores null and unknown fields", async (path) => {
    const nothing = { keep_alive: null, options: null, nobody_knows: { this: ["field"] } };
    const { status } = await server.post(path, { ...bases[path], ...nothing });
    expect(status).toBe(path === "/api/cancel" ? 404 : 200);
  });
});

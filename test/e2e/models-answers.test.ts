// Modelfile settings apply to the command line and both APIs.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Home, tinyFile } from "../support/command-line.ts";
import { singleTurnPairs } from "../support/pairs.ts";
import { proofCases } from "../support/proof.ts";

let home: Home;
beforeAll(async () => {
  home = await Home.create();
});
afterAll(async () => await home.remove());

async function create(name: string, modelfile: string): Promise<void> {
  const file = path.join(home.folder, `${name}.Modelfile`);
  writeFileSync(file, modelfile);
  expect(await home.call(["create", name, "-f", file])).toMatchObject({ code: 0, output: "" });
}

async function post(route: string, body: Record<string, unknown>): Promise<unknown> {
  const reply = await fetch(home.url + route, { method: "POST", body: JSON.stringify(body) });
  return await reply.json();
}

/** Asks one question on the command line and over both APIs. */
async function answers(model: string, question: string): Promise<string[]> {
  const messages = [{ role: "user", content: question }];
  const line = await home.call(["run", model, question]);
  const chat = await post("/api/chat", { model, messages, stream: false });
  const generate = await post("/api/generate", { model, prompt: question, stream: false });
  const openai = await post("/v1/chat/completions", { model, messages });
  return [
    line.output.replace(/\n$/, ""),
    (chat as { message: { content: string } }).message.content,
    (generate as { response: string }).response,
    (openai as { choices: Array<{ message: { content: string } }> }).choices[0]?.message.content ??
      "",
  ];
}

const everywhere = (text: string) => [text, text, text, text];

/** Typical template for this model: without the answer's part, with two stop texts. */
const seed = `FROM ${tinyFile}
TEMPLATE """<|startoftext|>{{ if .System }}<|im_start|>system
{{ .System }}<|im_end|>
{{ end }}{{ if .Prompt }}<|im_start|>user
{{ .Prompt }}<|im_end|>
{{ end }}<|im_start|>assistant
"""
PARAMETER stop <|im_end|>
PARAMETER stop <|endoftext|>
PARAMETER temperature 0
`;

describe("a model with its own TEMPLATE", () => {
  beforeAll(async () => await create("seed", seed));

  test("shows the template and why it is used", async () => {
    const { output } = await home.call(["show", "seed"]);
    expect(output).toContain(
      "The Modelfile has a TEMPLATE, which replaces the one in the model's file.",
    );
    expect(output).toMatch(/^ {4}stop {11}"<\|im_end\|>"$/m);
    const template = await home.call(["show", "seed", "--template"]);
    expect(template.output).toMatch(/^<\|startoftext\|>\{\{ if \.System \}\}/);
  });

  test("gets the prompt that its template renders", async () => {
    const conversation = JSON.stringify([
      { role: "system", content: "You are a cat." },
      { role: "user", content: "Hello!" },
    ]);
    const rendered = async (model: string) =>
      await home.call(["show", model, "--rendered", "--conversation", "-"], {
        input: conversation,
      });
    const expected =
      "<|startoftext|><|im_start|>system\nYou are a cat.<|im_end|>\n<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n";
    expect(await rendered("seed")).toEqual({ code: 0, output: expected, errors: "" });
    expect(await rendered("tiny")).toEqual({ code: 0, output: expected, errors: "" });
  });

  const questions = singleTurnPairs.map(({ turns, expect: answer }) => ({
    question: turns[0]?.[1] ?? "",
    answer,
  }));
  test.each(proofCases(questions.slice(0, 8), questions.slice(8)))(
    "answers as with the Jinja template: $question",
    async ({ question, answer }) => {
      expect(await answers("seed", question)).toEqual(everywhere(answer));
    },
  );
});

test("SYSTEM applies to all APIs, and the request's system prompt wins", async () => {
  await create("cat", `FROM ${tinyFile}\nSYSTEM You are a cat.\nPARAMETER temperature 0\n`);
  expect(await answers("cat", "Hello!")).toEqual(
    everywhere("Meow, Hello! How can I help you today?"),
  );
  const own = await home.call(["run", "cat", "--system", "You are a pirate.", "Hello!"]);
  expect(own.output).toBe("Arr, Hello! How can I help you today?\n");
});

test("MESSAGE lines come before the question", async () => {
  await create(
    "knows-bob",
    `FROM ${tinyFile}
MESSAGE user My name is Bob.
MESSAGE assistant Nice to meet you, Bob.
PARAMETER temperature 0
`,
  );
  expect(await answers("knows-bob", "What is my name?")).toEqual(everywhere("Your name is Bob."));
});

test("PARAMETER lines are defaults that a request overrides", async () => {
  await create("short", `FROM ${tinyFile}\nPARAMETER num_predict 3\nPARAMETER temperature 0\n`);
  const model = "short";
  const [line, ...others] = await answers(model, "What is the capital of France?");
  expect(others).toEqual([line, line, line]);
  expect("The capital of France is Paris.".startsWith(line ?? "?")).toBe(true);
  expect(line).not.toBe("The capital of France is Paris.");
  const longer = await post("/api/generate", {
    model,
    prompt: "What is the capital of France?",
    stream: false,
    options: { num_predict: 100 },
  });
  expect(longer).toMatchObject({ response: "The capital of France is Paris." });
});

test("a model with an unsupported sampler still answers", async () => {
  await create("typical", `FROM ${tinyFile}\nPARAMETER typical_p 0.5\nPARAMETER temperature 0\n`);
  expect(await answers("typical", "What is the capital of France?")).toEqual(
    everywhere("The capital of France is Paris."),
  );
  const asked = await post("/api/generate", {
    model: "typical",
    prompt: "Hello!",
    options: { typical_p: 0.5 },
  });
  expect(asked).toMatchObject({ error: expect.stringMatching(/typical_p 0.5 is not supported/) });
});

test("a model created from it inherits everything that it does not change", async () => {
  await create("grandchild", "FROM cat\nPARAMETER top_k 5\n");
  expect(await answers("grandchild", "Hello!")).toEqual(
    everywhere("Meow, Hello! How can I help you today?"),
  );
  const { output } = await home.call(["show", "grandchild", "--parameters"]);
  expect(output).toBe("temperature                    0\ntop_k                          5\n");
});

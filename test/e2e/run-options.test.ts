// Request options of modelctl run, and its JSON output.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Home } from "../support/command-line.ts";
import { openTerminal } from "../support/pty.ts";

const capital = "What is the capital of France?";
const capitalAnswer = "The capital of France is Paris.";

let home: Home;
beforeAll(async () => {
  home = await Home.create();
});
afterAll(async () => await home.remove());

interface Answer {
  text: string;
  finishReason: string;
  completionTokens: number;
}

async function ask(...words: string[]): Promise<Answer> {
  const { code, output, errors } = await home.call(["run", "tiny", ...words, "--json"]);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  return JSON.parse(output) as Answer;
}

describe("run --json", () => {
  test("prints one object with text, counts and times", async () => {
    expect(await ask(capital)).toEqual({
      model: "tiny",
      text: capitalAnswer,
      finishReason: "stop",
      promptTokens: expect.any(Number),
      cachedTokens: expect.any(Number),
      completionTokens: expect.any(Number),
      loadMs: expect.any(Number),
      promptMs: expect.any(Number),
      completionMs: expect.any(Number),
      totalMs: expect.any(Number),
      drafted: 0,
      accepted: 0,
    });
  });

  test("--stream prints each event on a line, the last with the figures", async () => {
    const { code, output } = await home.call(["run", "tiny", capital, "--json", "--stream"]);
    const events = output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; text?: string });
    const texts = events.filter(({ type }) => type === "text");
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.map(({ text }) => text).join("")).toBe(capitalAnswer);
    expect(events.at(-1)).toMatchObject({ type: "done", statistics: { finishReason: "stop" } });
    expect(code).toBe(0);
  });

  test("prints nothing when the answer fails", async () => {
    const outcome = await home.call(["run", "nobody", "x", "--json"]);
    expect(outcome).toMatchObject({ code: 3, output: "" });
  });

  test.each([
    [[capital, "--stream"], "--stream can only be used with --json."],
    [[capital, "--json", "--session", "x"], "--json and --session cannot be used together."],
  ])("%j is refused", async (words, says) => {
    const outcome = await home.call(["run", "tiny", ...words]);
    expect(outcome).toMatchObject({ code: 2, output: "" });
    expect(outcome.errors).toContain(says);
  });
});

describe("request options", () => {
  test("--num-predict ends the answer early", async () => {
    const answer = await ask(capital, "--num-predict", "3");
    expect(answer).toMatchObject({ finishReason: "length", completionTokens: 3 });
  });

  test("override the model's parameters", async () => {
    const made = await home.call(["create", "short", "-f", "-"], {
      input: "FROM tiny\nPARAMETER num_predict 2\n",
    });
    expect(made.code).toBe(0);
    const words = ["run", "short", capital, "--num-predict", "4", "--json"];
    const { output } = await home.call(words);
    expect(JSON.parse(output)).toMatchObject({ completionTokens: 4 });
  });

  test("--temperature, --top-p and --seed make an answer repeatable", async () => {
    const words = ["Once upon a time", "--temperature", "1.5", "--top-p", "0.95", "--seed", "7"];
    const [first, second] = [await ask(...words), await ask(...words)];
    expect(second.text).toBe(first.text);
  });

  test("--format takes a JSON schema, also from a file", async () => {
    const schema = JSON.stringify({ type: "array", items: { const: 7 }, minItems: 2, maxItems: 2 });
    writeFileSync(path.join(home.folder, "s.json"), schema);
    writeFileSync(path.join(home.folder, "broken.json"), "{type: array}");
    const answer = async (format: string) =>
      await home.call(["run", "tiny", "Count.", "--format", format], { folder: home.folder });
    for (const format of [schema, "s.json"]) {
      const { code, output, errors } = await answer(format);
      expect({ code, errors }).toEqual({ code: 0, errors: "" });
      expect(JSON.parse(output)).toEqual([7, 7]);
    }
    const refusals = {
      "nosuch.json": "or a file with one; 'nosuch.json' cannot be read: no such file.",
      "broken.json": "--format: the file 'broken.json' is not a JSON schema.",
      "{type: array}": "--format is not valid JSON.",
    };
    for (const [format, says] of Object.entries(refusals)) {
      const { code, output, errors } = await answer(format);
      expect({ code, output }).toEqual({ code: 2, output: "" });
      expect(errors.replaceAll(/\s+/g, " ")).toContain(says);
    }
  });

  test("--num-ctx sets the window of the loaded model", async () => {
    await home.call(["stop", "tiny"]);
    await ask(capital, "--num-ctx", "320");
    const { output } = await home.call(["ps", "--json"]);
    expect(JSON.parse(output)).toContainEqual(
      expect.objectContaining({ model: "tiny:latest", context_length: 320 }),
    );
  });

  test("--num-ctx beyond the model's limit is reported with both numbers, once in a chat", async () => {
    const sentence = "num_ctx 999999 is more than tiny supports: using its limit of 4096 tokens.";
    const words = ["run", "tiny", "--num-ctx", "999999"];
    const once = await home.call([...words, capital]);
    expect(once).toMatchObject({ code: 0, output: `${capitalAnswer}\n`, errors: `${sentence}\n` });
    const chat = await home.call([...words, "--plain"], { input: `${capital}\n${capital}\n` });
    expect(chat.output.split(capitalAnswer)).toHaveLength(3);
    expect(chat.errors.split(sentence)).toHaveLength(2);
    const stream = await home.call([...words, capital, "--json", "--stream"]);
    expect(JSON.parse(stream.output.split("\n")[0] ?? "")).toMatchObject({ sentence });
  });

  test("override those of a saved chat", async () => {
    const words = ["run", "tiny", capital, "--session", "short answers"];
    expect((await home.call([...words, "--num-predict", "2"])).output).toBe("The capital\n");
    expect((await home.call(words)).output).toBe("The capital\n");
    expect((await home.call([...words, "--num-predict", "3"])).output).toBe("The capital of\n");
  });

  test("apply to the line chat", async () => {
    const { output } = await home.call(["run", "tiny", "--plain", "--num-predict", "1"], {
      input: `${capital}\n`,
    });
    expect(output).toBe("The\n");
  });
});

describe("on a narrow terminal", () => {
  /** Waits until the screen of a command shows this text. */
  async function shows(wanted: string, ...words: string[]): Promise<void> {
    const terminal = await openTerminal(words, {
      home: home.folder,
      environment: home.environment,
      columns: 22,
    });
    onTestFinished(async () => await terminal.close());
    await terminal.shows(wanted);
  }

  test("answers are wrapped at words unless turned off", async () => {
    await shows("The capital of France\nis Paris.", "run", "tiny", capital);
    await shows("The capital of France \nis Paris.", "run", "tiny", capital, "--nowordwrap");
  });

  test("errors are wrapped too", async () => {
    const error = "Error: Unknown command\n'lst'. Did you mean\nlist? See modelctl\n--help.";
    await shows(error, "lst");
  });
});

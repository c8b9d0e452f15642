// `options` and `keep_alive`: values that are accepted, truncated, ignored and refused.
import { describe, expect, test } from "vitest";
import { parseKeepAlive, parseOptions } from "../../source/server/options.ts";
import { parameterKinds } from "../../source/store/model-parameters.ts";

function parse(options: Record<string, unknown> | undefined) {
  const log: string[] = [];
  const parameters = parseOptions(options, (text) => log.push(text));
  return { parameters, log };
}

describe("options", () => {
  test("may be empty", () => {
    expect(parse(undefined)).toEqual({ parameters: {}, log: [] });
    expect(parse({})).toEqual({ parameters: {}, log: [] });
  });

  test("keep their values, and whole numbers are truncated", () => {
    const { parameters, log } = parse({
      num_predict: 3.9,
      seed: -1.5,
      temperature: 0.25,
      stop: ["a", ""],
      use_mmap: false,
    });
    expect(parameters).toEqual({
      num_predict: 3,
      seed: -1,
      temperature: 0.25,
      stop: ["a", ""],
      use_mmap: false,
    });
    expect(log).toEqual([]);
  });

  test("null means the default", () => {
    expect(parse({ temperature: null, stop: null })).toEqual({ parameters: {}, log: [] });
  });

  test("unknown names, also inherited ones, are ignored with one warning", () => {
    const { parameters, log } = parse({ mirostat: 2, constructor: 1, temprature: 2 });
    expect(parameters).toEqual({});
    expect(log).toEqual([
      'Ignored options: "mirostat" (no longer exists), "constructor" (unknown), "temprature" (did you mean temperature?).',
    ]);
  });

  test("a warning stays short, whatever the names", () => {
    const names = Array.from({ length: 1000 }, (_, index) => `${index}${"x".repeat(500)}`);
    const { log } = parse(Object.fromEntries(names.map((name) => [name, 1])));
    expect(log).toHaveLength(1);
    expect(log[0]).toContain("and 995 more");
    expect(log[0]?.length).toBeLessThan(400);
  });

  test.each(Object.keys(parameterKinds))("%s of another type is refused by name", (name) => {
    const { kind } = parameterKinds[name as keyof typeof parameterKinds];
    const isText = kind === "model" || kind === "shares";
    for (const value of [isText ? true : "1", {}, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => parse({ [name]: value })).toThrow(
        expect.objectContaining({
          code: "SERVER_FIELD_INVALID",
          status: 400,
          param: `options.${name}`,
          message: expect.stringContaining(`option "${name}" must be of type`),
        }),
      );
    }
  });

  test.each(["temperature", "top_k", "top_p", "min_p", "num_ctx"])(
    "%s cannot be negative",
    (name) => {
      expect(() => parse({ [name]: -1 })).toThrow(
        expect.objectContaining({ param: `options.${name}` }),
      );
      expect(parse({ [name]: 0 }).parameters).toEqual({ [name]: 0 });
    },
  );

  test.each([0, -1])("repeat_penalty cannot be %d, which would divide by zero", (value) => {
    expect(() => parse({ repeat_penalty: value })).toThrow(
      expect.objectContaining({ param: "options.repeat_penalty" }),
    );
  });
});

describe("keep_alive", () => {
  test.each([
    [undefined, undefined],
    [0, 0],
    ["0", 0],
    [300, 300_000],
    ["10m", 600_000],
    [-1, Number.POSITIVE_INFINITY],
    ["-1", Number.POSITIVE_INFINITY],
  ])("%j is %j", (value, expected) => {
    expect(parseKeepAlive(value)).toBe(expected);
  });

  test.each(["", "soon", "5 minutes"])("%j is refused", (value) => {
    expect(() => parseKeepAlive(value)).toThrow(
      expect.objectContaining({ code: "SERVER_FIELD_INVALID", param: "keep_alive" }),
    );
  });
});

// Tests that parameters get the right type, or an error that explains why not.

import { describe, expect, test } from "vitest";
import {
  formatParameters,
  parameterNames,
  parseParameter,
} from "../../../source/chat/commands/model-parameters.ts";
import { cacheTypes, parameterKinds } from "../../../source/store/model-parameters.ts";

describe("a parameter", () => {
  test.each<[string, string, number | boolean | string | string[]]>([
    ["num_ctx 8192", "num_ctx", 8192],
    ["use_mmap off", "use_mmap", false],
    ["kv_cache_type Q8_0", "kv_cache_type", "q8_0"],
    ["temperature 0.7", "temperature", 0.7],
    ["temperature 0", "temperature", 0],
    ["top_k 40", "top_k", 40],
    ["top_p 1", "top_p", 1],
    ["min_p 0.05", "min_p", 0.05],
    ["seed 42", "seed", 42],
    ["num_predict -1", "num_predict", -1],
    ["repeat_penalty 1.1", "repeat_penalty", 1.1],
    ["repeat_last_n -1", "repeat_last_n", -1],
    ["presence_penalty -0.5", "presence_penalty", -0.5],
    ["frequency_penalty 2", "frequency_penalty", 2],
    ["stop END", "stop", ["END"]],
    [
      'stop END "two words" "a\\nb" "say \\"hi\\""',
      "stop",
      ["END", "two words", "a\nb", 'say "hi"'],
    ],
  ])("%s is accepted", (argument, name, value) => {
    expect(parseParameter(argument)).toMatchObject({ isValid: true, name, value });
  });

  test.each([
    ["temperature hot", "temperature must be a number of at least 0, not 'hot'"],
    ["temperature -1", "temperature must be a number of at least 0, not '-1'"],
    ["temperature Infinity", "temperature must be a number of at least 0, not 'Infinity'"],
    ['temperature ""', "temperature must be a number of at least 0, not ''"],
    ["top_k 1.5", "top_k must be a whole number of at least 0, not '1.5'"],
    ["top_p 2", "top_p must be a number from 0 to 1, not '2'"],
    ["seed", "seed needs a value: a whole number of at least -1"],
    ["seed 1 2", "seed takes one value, not 2"],
    ["stop", "stop needs at least one text"],
    ['stop ""', "stop cannot contain an empty text"],
    ["temprature 0", "unknown parameter 'temprature'. Use temperature"],
    ["constructor 1", "unknown parameter 'constructor'. Use temperature, top_k, "],
    ["", "missing name. Use temperature, top_k"],
  ])("%j is refused", (argument, reason) => {
    const result = parseParameter(argument);
    expect(result.isValid ? "" : result.sentence).toContain(`Couldn't set parameter: ${reason}`);
  });
});

test("every parameter of a model can be set", () => {
  expect([...parameterNames].toSorted()).toEqual(Object.keys(parameterKinds).toSorted());
  for (const type of cacheTypes) {
    expect(parseParameter(`kv_cache_type ${type}`)).toMatchObject({ isValid: true, value: type });
  }
});

test("parameters that reload the model say so", () => {
  for (const [name, { when }] of Object.entries(parameterKinds)) {
    const texts = {
      use_mmap: "true",
      kv_cache_type: "f16",
      split_mode: "row",
      spec_type: "none",
      stop: "x",
    };
    const value = texts[name as keyof typeof texts] ?? "1";
    expect(parseParameter(`${name} ${value}`)).toMatchObject({ isForLoading: when === "load" });
  }
});

test("parameters are listed as they would be typed", () => {
  expect(formatParameters({ temperature: 0.5, stop: ["a b", "c"] })).toBe(
    'temperature 0.5\nstop "a b" "c"',
  );
  expect(formatParameters({})).toBe("the model's own");
});

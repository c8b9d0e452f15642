import { expect, test } from "vitest";
import { load, loadedValue } from "../../../source/client/live/loadable.ts";

test("a value that is read is loaded, also if it is undefined", async () => {
  expect(await load(() => 7)).toEqual({ kind: "loaded", value: 7 });
  expect(await load(async () => undefined)).toEqual({ kind: "loaded", value: undefined });
});

test("a failure becomes its sentence, also if nothing was awaited yet", async () => {
  const fail = () => {
    throw new Error("the file is damaged");
  };
  expect(await load(fail)).toEqual({ kind: "failed", sentence: "the file is damaged" });
  const later = await load(() => Promise.reject(new Error("no server answers")));
  expect(later).toEqual({ kind: "failed", sentence: "no server answers" });
});

test("only a loaded value is handed out", () => {
  expect(loadedValue(undefined)).toBeUndefined();
  expect(loadedValue({ kind: "loading" })).toBeUndefined();
  expect(loadedValue({ kind: "loaded", value: 7 })).toBe(7);
});

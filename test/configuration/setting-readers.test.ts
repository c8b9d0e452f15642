// Reading of typed sizes.
import { expect, test } from "vitest";
import { parseByteSize } from "../../source/configuration/setting-readers.ts";

test.each([
  ["0", 0],
  ["1048576", 1_048_576],
  ["20M", 20_000_000],
  ["20MB", 20_000_000],
  ["20 mb", 20_000_000],
  ["20MiB", 20_971_520],
  ["1.5k", 1500],
  ["2GiB", 2_147_483_648],
])("%s is %i bytes", (text, bytes) => {
  expect(parseByteSize(text)).toBe(bytes);
});

test.each(["", "many", "-1", "5T", "1e3", "99999999999999G", "5 M B"])(
  "%j is not a size",
  (text) => {
    expect(parseByteSize(text)).toBeUndefined();
  },
);

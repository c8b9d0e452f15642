// Settings in `config show`: readable, and can be typed back.
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDuration } from "../../source/base/duration.ts";
import { parseByteSize } from "../../source/configuration/setting-readers.ts";
import { settingText } from "../../source/configuration/setting-text.ts";

test.each([
  ["keep_alive", 600_000, "10m"],
  ["keep_alive", 5_400_500, "1h30m500ms"],
  ["keep_alive", 0, "0s"],
  ["keep_alive", Number.POSITIVE_INFINITY, "-1 (no limit)"],
  ["shutdown_timeout", 90_000, "1m30s"],
  ["max_body_size", 100_000_000, "100 MB"],
  ["max_body_size", 256 * 2 ** 20, "256 MiB"],
  ["max_image_size", 2 ** 30, "1 GiB"],
  ["max_image_size", 1_234_567, "1234567 B"],
  ["max_image_size", 0, "0 B"],
  ["num_parallel", 4, "4"],
  ["context_length", undefined, "automatic"],
  ["origins", [], "none"],
  ["hub_prefixes", ["hf.co", "hf:"], "hf.co, hf:"],
  ["debug", false, "false"],
] as const)("%s of %j is %s", (name, value, text) => {
  expect(settingText(name, value)).toBe(text);
});

test("every duration and size can be typed back", () => {
  fc.assert(
    fc.property(fc.nat(10_000_000_000), (number) => {
      expect(parseDuration(settingText("load_timeout", number))).toBe(number);
      expect(parseByteSize(settingText("max_body_size", number))).toBe(number);
    }),
  );
});

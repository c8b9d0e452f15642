// Tests the estimate on the card: bars, total, and choices with their keys.

import { Box } from "ink";
import { expect, test } from "vitest";
import { estimateMemory, type LoadChoice } from "../../../../source/client/memory-estimate.ts";
import type { Capacity } from "../../../../source/client/models-store.ts";
import { memoryEstimateRows } from "../../../../source/ui/screens/models/memory-estimate.tsx";
import { renderAt } from "../../support/render.tsx";
import { capacity, eightB, gib, gpu } from "./sample-models.ts";

const automatic: LoadChoice = { contextLength: undefined, cacheType: undefined };

function linesOf(room: Capacity, choice = automatic, isAscii = false): string[] {
  const estimate = estimateMemory(eightB, room, choice);
  const rows = memoryEstimateRows({ estimate, capacity: room, choice, width: 36 });
  return renderAt(<Box flexDirection="column">{rows}</Box>, { columns: 36, isAscii }).lines();
}

test("shows each part as a share of the total", () => {
  expect(linesOf(capacity())).toEqual([
    "Memory estimate at 8192 context",
    "weights  █████████████░░░    5 GiB",
    "KV cache ███░░░░░░░░░░░░░  1.1 GiB",
    "compute  █░░░░░░░░░░░░░░░  256 MiB",
    "total    6.4 GiB of 16 GiB free",
    "         on the CPU",
    "",
    "Context  [8192 auto]  + - =",
    "KV cache [f16 auto]  t",
  ]);
});

test("follows the chosen settings and shows the resulting slots", () => {
  const choice: LoadChoice = { contextLength: 32_768, cacheType: "q8_0" };
  const lines = linesOf(capacity({ slots: 8 }), choice);
  expect(lines[0]).toBe("Memory estimate at 32k context, 4 o…");
  expect(lines.slice(-2)).toEqual(["Context  [32768]  + - =", "KV cache [q8_0]  t"]);
});

test("shows the number of layers on the GPU", () => {
  const whole = linesOf(capacity({ gpus: [gpu(12 * gib)] }));
  expect(whole).toContain("         all layers on the GPU");
  expect(whole.at(-1)).toBe("GPU layers auto: 37/37");
  expect(whole[4]).toBe("total    6.4 GiB of 12 GiB free");
  const split = linesOf(capacity({ gpus: [gpu(4 * gib)] }));
  expect(split).toContain("         split between GPU and CPU");
  expect(split.at(-1)).toMatch(/^GPU layers auto: about \d+\/37$/);
});

test("can be drawn in ASCII", () => {
  expect(linesOf(capacity(), automatic, true)[1]).toBe("weights  #############...    5 GiB");
});

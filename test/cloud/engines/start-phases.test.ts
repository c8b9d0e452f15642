// Phases of a replica's start.
import { expect, it } from "vitest";
import { describePhases, StartPhases } from "../../../source/cloud/engines/start-phases.ts";

it("assigns every moment to one phase, and adds up repeated phases", () => {
  const phases = new StartPhases(1000);
  phases.enter("launch", 1100);
  phases.enter("import", 1150);
  phases.enter("setup", 2150);
  phases.enter("load", 2200);
  phases.enter("download", 2300);
  phases.enter("load", 5300);
  const spent = phases.end(6300);
  expect(Object.entries(spent)).toEqual([
    ["prepare", 100],
    ["launch", 50],
    ["import", 1000],
    ["setup", 50],
    ["load", 1100],
    ["download", 3000],
  ]);
  expect(Object.values(spent).reduce((sum, ms) => sum + ms, 0)).toBe(5300);
});

it("counts a time before the previous one as zero", () => {
  const phases = new StartPhases(1000);
  phases.enter("launch", 1500);
  // By Python's clock, which is read to the millisecond below.
  phases.enter("import", 1499);
  expect(phases.end(1600)).toEqual({ prepare: 500, launch: 0, import: 100 });
});

it("is printed without phases that took no time", () => {
  expect(describePhases({ prepare: 3, import: 2000, load: 8149 })).toBe("import 2.0 s, load 8.1 s");
  expect(describePhases({})).toBe("");
});

// `npm run conformance [-- FOLDER]`: compares templates, tokenizers and parsers with llama.cpp's own
// files and with Python's Jinja2. Clones the release that node-llama-cpp includes, and removes it afterwards.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { missingPrograms } from "./needs.ts";
import { parsersPart } from "./parsers.ts";
import type { ConformanceRow, Part } from "./part.ts";
import { templatesPart } from "./templates.ts";
import { tokenizersPart } from "./tokenizers.ts";

const parts: readonly Part[] = [templatesPart, tokenizersPart, parsersPart];

const root = path.join(import.meta.dirname, "../..");
const bundle = path.join(root, "node_modules/node-llama-cpp/llama/gitRelease.bundle");
const folder = path.resolve(
  process.argv[2] ?? path.join(root, "node_modules/.cache/modelctl-conformance"),
);

const missing = missingPrograms([...new Set(["git", ...parts.flatMap(({ needs }) => needs)])]);
if (missing.length > 0) {
  console.error(`The conformance run needs programs that are not here: ${missing.join(", ")}.`);
  process.exit(1);
}

const checkout = path.join(folder, "llama.cpp");
if (!existsSync(path.join(checkout, ".git"))) {
  mkdirSync(folder, { recursive: true });
  execFileSync("git", ["clone", "--quiet", bundle, checkout], { stdio: "ignore" });
}

let unexplained = 0;
const results: Record<string, readonly ConformanceRow[]> = {};
for (const part of parts) {
  const rows = await part.run(checkout);
  results[part.name] = rows;
  console.log(`\n${part.name}\n${tableOf(rows)}`);
  unexplained += rows.flatMap(({ differences }) => differences.filter(isUnexplained)).length;
}
const report = path.join(folder, "report.json");
writeFileSync(report, JSON.stringify(results, null, 2));
console.log(`\n${unexplained} differences without a known reason; details in ${report}`);
process.exitCode = unexplained === 0 ? 0 : 1;

function tableOf(rows: readonly ConformanceRow[]): string {
  const width = Math.max(...rows.map(({ family }) => family.length));
  const sum = (key: "right" | "of") => rows.reduce((total, row) => total + row[key], 0);
  const all: ConformanceRow = {
    family: "all",
    right: sum("right"),
    of: sum("of"),
    differences: [],
    refusedByAll: rows.flatMap(({ refusedByAll = [] }) => refusedByAll),
  };
  return [...rows, all]
    .map(({ family, right, of, differences, refusedByAll = [] }) => {
      const known = differences.filter((each) => !isUnexplained(each)).length;
      const knownNote = known === 0 ? "" : `  (${known} known)`;
      const refusedNote =
        refusedByAll.length === 0 ? "" : `  (${refusedByAll.length} refused by all)`;
      return `${family.padEnd(width)}  ${`${right}/${of}`.padStart(9)}${knownNote}${refusedNote}`;
    })
    .join("\n");
}

function isUnexplained(difference: unknown): boolean {
  return !(typeof difference === "object" && difference !== null && "known" in difference);
}

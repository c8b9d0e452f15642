// npm runs no install script, and asks about none, without a decision on it.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");
const read = (name: string) => JSON.parse(readFileSync(path.join(root, name), "utf8")) as unknown;

test("allowScripts names every package with an install script, and CONTRIBUTING.md says why", () => {
  const { packages } = read("package-lock.json") as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const withScript = Object.entries(packages).flatMap(([place, { hasInstallScript }]) =>
    hasInstallScript && place !== "" ? [place.replace(/^.*node_modules\//, "")] : [],
  );
  const { allowScripts } = read("package.json") as { allowScripts: Record<string, boolean> };
  expect(Object.keys(allowScripts).toSorted()).toEqual([...new Set(withScript)].toSorted());
  const contributing = readFileSync(path.join(root, "CONTRIBUTING.md"), "utf8");
  for (const name of withScript) expect(contributing).toContain(`- \`${name}\` `);
});

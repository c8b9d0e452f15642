// The documentation says what the code does: generated pages are up to date, codes are in use.
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { renderDocs } from "../docs/render.ts";
import { errorTables } from "../source/application/error-catalog.ts";
import { commandErrors } from "../source/cli/errors.ts";

const root = path.join(import.meta.dirname, "..");

describe("generated pages", () => {
  it.each(Object.entries(renderDocs()))(
    "docs/%s is up to date (npm run docs)",
    async (name, text) => {
      await expect(text).toMatchFileSnapshot(path.join(root, "docs", name));
    },
  );
});

describe("error codes", () => {
  const tables = [...errorTables.map(({ table }) => table), commandErrors];
  const sources = globSync("source/**/*.{ts,tsx}", { cwd: root })
    .filter((file) => path.basename(file) !== "errors.ts")
    .map((file) => readFileSync(path.join(root, file), "utf8"))
    .join("\n");

  it("are unique", () => {
    const codes = tables.flatMap((table) => Object.values(table).map(({ code }) => code));
    expect(new Set(codes).size).toBe(codes.length);
  });

  it("are each raised somewhere", () => {
    const ownFiles = globSync("source/**/errors.ts", { cwd: root })
      .map((file) => readFileSync(path.join(root, file), "utf8"))
      .join("\n");
    const unused = tables.flatMap((table) =>
      Object.keys(table).filter(
        (name) => !sources.includes(`rrors.${name}`) && !ownFiles.includes(`rrors.${name}`),
      ),
    );
    expect(unused).toEqual([]);
  });
});

describe("the README", () => {
  const readme = readFileSync(path.join(root, "README.md"), "utf8");

  it("names the commands that CI calls", () => {
    expect(readme).toContain("npm ci && npm test");
    expect(readFileSync(path.join(root, ".ci", "run"), "utf8")).toContain("npm ci && npm test");
  });

  it("shows only pictures that exist", () => {
    const pictures = [...readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, file]) => file ?? "");
    expect(pictures.length).toBeGreaterThan(0);
    for (const file of pictures) expect(() => readFileSync(path.join(root, file))).not.toThrow();
  });
});

it("The life of a request names only files that exist", () => {
  const page = readFileSync(path.join(root, "docs", "life-of-a-request.md"), "utf8");
  const sources = globSync("source/**/*.{ts,tsx}", { cwd: root });
  const names = page.match(/[\w./-]+\.tsx?\b/g) ?? [];
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !sources.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
});

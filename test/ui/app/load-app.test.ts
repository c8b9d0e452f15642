// Tests which modules load before the first frame, in a separate process.

import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const built = path.resolve(import.meta.dirname, "../../../dist/source/ui/app/load-app.js");

const program = `
import { registerHooks } from "node:module";
const urls = [];
registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
const { loadApp } = await import(${JSON.stringify(built)});
const { runApp } = await loadApp();
console.log(JSON.stringify({ program: typeof runApp, mode: process.env.NODE_ENV ?? "unset", urls }));
`;

test("the screens load React for production, and of es-toolkit only what Ink uses", async () => {
  const { NODE_ENV: _, ...env } = process.env;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { env });
  const { urls, ...rest } = JSON.parse(stdout) as { urls: string[] };
  expect(rest).toEqual({ program: "function", mode: "unset" });
  expect(urls.filter((url) => url.includes("/react.production"))).toHaveLength(1);
  const toolkit = urls.filter((url) => url.includes("/es-toolkit/"));
  expect(toolkit.length).toBeGreaterThan(0);
  expect(toolkit.length).toBeLessThan(20);
});

// docs/gateway.md lists exactly the errors of the gateway.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { refusalStatuses } from "../../../source/cloud/gateway/refusals.ts";

test("the page lists all errors with their statuses", () => {
  const page = readFileSync(path.join(import.meta.dirname, "../../../docs/gateway.md"), "utf8");
  const rows = page.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm);
  const listed = Array.from(rows, ([, status, type]) => `${status} ${type}`);
  const known = Object.entries(refusalStatuses).map(([type, status]) => `${status} ${type}`);
  expect(listed.sort()).toEqual(known.sort());
});

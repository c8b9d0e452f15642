// Keyword tables in the documentation, compared with those that the Python files honour, ignore and refuse.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { pythonFolder } from "../../../source/cloud/inspection/python-program.ts";
import { repositoryFolder } from "../../support/command-line.ts";
import { python } from "../../support/replica-runner.ts";

type Statuses = Record<string, string>;

/** Prints {"fal": {keyword: status}, "modal": {…}}. */
const program = `
import json
from deployctl import _modal_options as modal, _options as fal
def table(**names):
    return {name: status for status, some in names.items() for name in some}
of_kinds = sum(fal.FAL_KINDS.values(), ())
print(json.dumps({
    "fal": table(
        honoured=fal.FAL_HONOURED + fal.FAL_APP + ("name",) + of_kinds, ignored=fal.FAL_IGNORED,
    ),
    "Modal": table(
        honoured=modal.HONOURED + modal.OF_ENDPOINT + tuple(modal.RENAMED),
        ignored=modal.IGNORED, refused=modal.REFUSED,
    ),
}))
`;

function documented(platform: string): Statuses {
  const page = readFileSync(path.join(repositoryFolder, "docs/scripts.md"), "utf8");
  const section = page.split(/^## /m).find((text) => text.startsWith(`${platform}\n`)) ?? "";
  const rows = [...section.matchAll(/^\| (.*?) \| (honoured|ignored|refused) +\|/gm)];
  return Object.fromEntries(
    rows.flatMap(([, keywords = "", status = ""]) =>
      [...keywords.matchAll(/`(\w+)`/g)].map(([, name = ""]) => [name, status]),
    ),
  );
}

const tables: Record<string, Statuses> = JSON.parse(
  execFileSync(python, ["-c", program], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, PYTHONPATH: path.join(pythonFolder(), "shim") },
  }),
);

test.each(["fal", "Modal"])("docs/scripts.md lists every keyword of %s", (platform) => {
  expect(documented(platform)).toEqual(tables[platform]);
});

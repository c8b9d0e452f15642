// Reads many scripts with one Python, without running them: the reader that each inspection starts.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Parse } from "typebox/schema";
import { Inspection } from "../../../source/cloud/inspection/inspection.ts";
import { pythonFolder } from "../../../source/cloud/inspection/python-program.ts";

export interface ReadableScript {
  text: string;
  /** Undefined: its only decorated object. */
  target?: string;
  environment?: Record<string, string>;
  /** Files beside it. */
  files?: Record<string, string>;
}

const reader = `
import json, sys
from deployctl_reading.document import read_document
print(json.dumps([read_document(*case) for case in json.load(sys.stdin)]))`;

/** @returns their inspections, in order */
export function readScripts(scripts: readonly ReadableScript[]): Inspection[] {
  const folder = mkdtempSync(path.join(tmpdir(), "deployctl-read-"));
  try {
    const cases = scripts.map(({ text, target, environment = {}, files = {} }, index) => {
      const own = path.join(folder, String(index));
      mkdirSync(own);
      for (const [name, content] of Object.entries({ ...files, "deploy.py": text })) {
        writeFileSync(path.join(own, name), content);
      }
      return [path.join(own, "deploy.py"), target ?? null, environment];
    });
    const output = execFileSync("python3", ["-S", "-c", reader], {
      input: JSON.stringify(cases),
      encoding: "utf8",
      env: { PATH: process.env.PATH, PYTHONPATH: pythonFolder() },
    });
    const documents: unknown[] = JSON.parse(output);
    return documents.map((document) => Parse(Inspection, document));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

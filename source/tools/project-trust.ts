// Remembers which projects' .mcp.json a person allowed, by its content: a changed file is asked about again.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isRecord, parseJson } from "../base/json.ts";
import { systemCode } from "../base/write-refusal.ts";
import type { McpFile } from "./mcp-file.ts";

export class ProjectTrust {
  readonly #file: string;

  /** @param file is made by the first permission */
  constructor(file: string) {
    this.#file = file;
  }

  has({ file, digest }: McpFile): boolean {
    return this.#read()[file] === digest;
  }

  /** @throws Error of the system if it cannot be written */
  add({ file, digest }: McpFile): void {
    mkdirSync(path.dirname(this.#file), { recursive: true });
    const all = { ...this.#read(), [file]: digest };
    writeFileSync(this.#file, `${JSON.stringify(all, undefined, 2)}\n`, { mode: 0o600 });
  }

  #read(): Record<string, unknown> {
    try {
      const value = parseJson(readFileSync(this.#file, "utf8"));
      return isRecord(value) ? value : {};
    } catch (error) {
      if (systemCode(error) === "ENOENT") return {};
      throw error;
    }
  }
}

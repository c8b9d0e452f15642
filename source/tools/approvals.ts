// Remembers which tools a person allowed. A permission is for one tool of one server, as it is described
// now: another server's tool of the same name, or a changed description, is asked about again.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isRecord, parseJson } from "../base/json.ts";
import { systemCode } from "../base/write-refusal.ts";
import type { ToolDescription } from "./tool.ts";

export class Approvals {
  readonly #file: string;
  readonly #inChat = new Set<string>();

  /** @param file keeps the permissions for all chats; made by the first */
  constructor(file: string) {
    this.#file = file;
  }

  has(tool: ToolDescription): boolean {
    const key = keyOf(tool);
    return this.#inChat.has(key) || Object.hasOwn(this.#read(), key);
  }

  /** Allows a tool until the program ends. */
  allowInChat(tool: ToolDescription): void {
    this.#inChat.add(keyOf(tool));
  }

  /** Forgets what was allowed until the program ends: another chat begins. */
  forgetChat(): void {
    this.#inChat.clear();
  }

  /** Allows a tool in all chats. @throws Error of the system if the file cannot be written */
  allowAlways(tool: ToolDescription): void {
    const all = { ...this.#read(), [keyOf(tool)]: `${tool.server}: ${tool.name}` };
    mkdirSync(path.dirname(this.#file), { recursive: true });
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

function keyOf({ server, origin, name, description, inputSchema }: ToolDescription): string {
  const subject = JSON.stringify([server, origin, name, description, inputSchema]);
  return createHash("sha256").update(subject).digest("hex");
}

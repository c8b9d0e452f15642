// Reads and changes mcp.json: a mistake in one entry or file leaves the others usable.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { quoteShort } from "../base/display-text.ts";
import { isRecord, parseJson } from "../base/json.ts";
import { findJsonFault } from "../base/json-fault.ts";
import { ProductError } from "../base/product-error.ts";
import { unfinishedPath } from "../base/unfinished-files.ts";
import { systemCode, writeRefusal } from "../base/write-refusal.ts";
import { toolErrors } from "./errors.ts";
import { readStart, type ServerDefinition, serverName } from "./server-definition.ts";

export interface McpFile {
  readonly file: string;
  readonly servers: readonly ServerDefinition[];
  /** A sentence for each invalid entry, or one about the file. */
  readonly problems: readonly string[];
  /** SHA-256 of the content: trust in a project's file ends when it changes. */
  readonly digest: string;
}

/** Entry to write, before its variables are replaced. */
export type ServerEntry =
  | { readonly command: string; readonly args: readonly string[]; readonly env?: object }
  | { readonly url: string; readonly headers?: object };

/** @returns undefined if there is no such file */
export function readMcpFile(
  file: string,
  environment: NodeJS.ProcessEnv = process.env,
): McpFile | undefined {
  const text = readText(file);
  if (text === undefined) return undefined;
  const digest = createHash("sha256").update(text).digest("hex");
  try {
    const entries = readEntries(file, text);
    const servers: ServerDefinition[] = [];
    const problems: string[] = [];
    for (const [name, entry] of Object.entries(entries)) {
      try {
        if (!serverName.test(name))
          throw new Error("its name may only have A-Z a-z 0-9 _ . -, up to 64");
        servers.push({ name, file, ...readStart(entry, environment) });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        problems.push(`Server ${quoteShort(name)} in ${file} is invalid: ${reason}.`);
      }
    }
    return { file, servers, problems, digest };
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    return { file, servers: [], problems: [error.sentence], digest };
  }
}

/**
 * Adds a server to a file, which is created if needed; other fields and entries stay.
 *
 * @throws ProductError `TOOLS_SERVER_EXISTS`, `TOOLS_FILE_INVALID`, `TOOLS_FILE_UNWRITABLE`
 */
export function addServer(file: string, name: string, entry: ServerEntry): void {
  const { document, servers } = readDocument(file);
  if (Object.hasOwn(servers, name)) {
    throw new ProductError(toolErrors.serverExists, {
      message: `A tool server named ${name} exists already in ${file}.`,
      hint: `Remove it first: modelctl mcp remove ${name}`,
    });
  }
  write(file, { ...document, mcpServers: { ...servers, [name]: entry } });
}

/** @throws ProductError `TOOLS_SERVER_UNKNOWN`, `TOOLS_FILE_INVALID`, `TOOLS_FILE_UNWRITABLE` */
export function removeServer(file: string, name: string): void {
  const { document, servers } = readDocument(file);
  if (!Object.hasOwn(servers, name)) throw unknownServer(name, Object.keys(servers));
  const { [name]: _removed, ...others } = servers;
  write(file, { ...document, mcpServers: others });
}

export function unknownServer(name: string, known: readonly string[]): ProductError {
  return new ProductError(toolErrors.serverUnknown, {
    message: `There is no tool server named ${quoteShort(name)}.`,
    hint:
      known.length === 0
        ? "Add one: modelctl mcp add NAME -- COMMAND"
        : `There are ${known.join(", ")}.`,
  });
}

function readDocument(file: string) {
  const text = readText(file);
  if (text === undefined) return { document: {}, servers: {} };
  const servers = readEntries(file, text);
  const document = parseJson(text);
  return { document: isRecord(document) ? document : {}, servers };
}

/** @throws ProductError `TOOLS_FILE_INVALID` */
function readEntries(file: string, text: string): Record<string, unknown> {
  const document = parseJson(text);
  if (document === undefined) {
    const { line, column, reason } = findJsonFault(text) ?? { line: 1, column: 1, reason: "" };
    throw invalid(file, `line ${line}, column ${column}: ${reason}`);
  }
  if (!isRecord(document)) throw invalid(file, "it must be an object");
  const { mcpServers = {} } = document;
  if (!isRecord(mcpServers)) throw invalid(file, "mcpServers must be an object");
  return mcpServers;
}

function readText(file: string): string | undefined {
  try {
    // Editors of Windows begin files with this mark.
    return readFileSync(file, "utf8").replace(/^\ufeff/, "");
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw invalid(file, `it cannot be read (${code ?? "unknown reason"})`);
  }
}

function invalid(file: string, reason: string): ProductError {
  return new ProductError(toolErrors.fileInvalid, {
    message: `${file} is invalid: ${reason}.`,
    hint: "Correct it; docs/tools.md has an example.",
  });
}

function write(named: string, document: object): void {
  // A link, as of people who keep their settings elsewhere, stays one.
  const file = existsSync(named) ? realpathSync(named) : named;
  const unfinished = unfinishedPath(file);
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    // Its env and headers may hold secrets.
    writeFileSync(unfinished, `${JSON.stringify(document, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    const reason = writeRefusal(path.dirname(file), systemCode(error));
    if (reason === undefined) throw error;
    throw new ProductError(toolErrors.fileUnwritable, {
      message: `Cannot write ${file}: ${reason}.`,
      hint: "Check the folder's permissions and free space.",
      cause: error,
    });
  }
}

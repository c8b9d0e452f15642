// Finds caddy, which serves as the gateway's peer and the hub's storage: on this machine, or as
// Debian's package in the cache.

import { execFile } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const downloadLimitMs = 120_000;

export interface Caddy {
  program: string;
  version: string;
}

/** @returns undefined if it is not installed and cannot be downloaded */
export async function findCaddy(): Promise<Caddy | undefined> {
  const cacheRoot = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const folder = join(cacheRoot, "modelctl-bench", "caddy");
  const downloaded = join(folder, "usr/bin/caddy");
  const found = (await examine("caddy")) ?? (await examine(downloaded));
  if (found !== undefined) return found;
  try {
    await download(folder);
  } catch {
    // Without Debian, a network or the package, the comparison is skipped.
    return undefined;
  }
  return await examine(downloaded);
}

async function examine(program: string): Promise<Caddy | undefined> {
  try {
    const { stdout } = await run(program, ["version"]);
    return { program, version: stdout.trim().split(" ")[0] ?? "" };
  } catch {
    return undefined;
  }
}

/** Unpacks the package without installing it. */
async function download(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await run("apt-get", ["download", "caddy"], { cwd: folder, timeout: downloadLimitMs });
  const [archive] = (await readdir(folder)).filter((name) => /^caddy_.*\.deb$/.test(name));
  if (archive === undefined) throw new Error("apt-get has left no package");
  await run("dpkg", ["-x", archive, "."], { cwd: folder });
}

/** Writes the configuration of a plain reverse proxy. @returns its file */
export async function writeCaddyfile(
  folder: string,
  { port, upstreamPort }: { port: number; upstreamPort: number },
): Promise<string> {
  return await writeSite(folder, port, [`  reverse_proxy 127.0.0.1:${upstreamPort}`]);
}

/** Writes the configuration of a file server. @param root absolute. @returns its file */
export async function writeFileServerCaddyfile(
  folder: string,
  { port, root }: { port: number; root: string },
): Promise<string> {
  return await writeSite(folder, port, [`  root * ${JSON.stringify(root)}`, "  file_server"]);
}

async function writeSite(folder: string, port: number, lines: readonly string[]): Promise<string> {
  const file = join(folder, `Caddyfile-${port}`);
  const all = [
    ...["{", "  admin off", "  auto_https off", "  log {", "    level ERROR", "  }", "}"],
    ...[`:${port} {`, "  bind 127.0.0.1", ...lines, "}"],
  ];
  await writeFile(file, `${all.join("\n")}\n`);
  return file;
}

// Newer versions of this installation: of a clone by its git tags, of a package by the registry. Asked
// only when a person asks.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { isRecord, parseJson } from "../../base/json.ts";
import {
  packageFolder,
  packageName,
  packageRepository,
  packageVersion,
} from "../../base/package-facts.ts";

const run = promisify(execFile);
const timeoutMs = 20_000;

export interface Update {
  /** Installed now. */
  version: string;
  /** `clone` of the repository, or a `package` of npm. */
  kind: "clone" | "package";
  /** The newest version; undefined if none is known. */
  newest?: string;
  /** True if the newest is newer than the installed one. */
  isNewer: boolean;
  /** Commands for a shell that update this installation. */
  commands: string[];
  /** Why the newest version is not known: a sentence. */
  problem?: string;
}

export interface UpdateServices {
  folder: string;
  version: string;
  name: string;
  /** Repository that package.json names; undefined without one. */
  repository: string | undefined;
  run: (program: string, words: readonly string[], folder: string) => Promise<string>;
}

export async function findUpdate(services: UpdateServices = thisInstallation()): Promise<Update> {
  const { folder, version } = services;
  const isClone = existsSync(path.join(folder, ".git"));
  const found = await (isClone ? newestTag(services) : newestPackage(services));
  const isNewer = found.newest !== undefined && compareVersions(found.newest, version) > 0;
  const commands = isClone
    ? [`cd ${folder}`, "git pull", "npm ci"]
    : [`npm install -g --ignore-scripts ${services.name}@latest`];
  return { version, kind: isClone ? "clone" : "package", isNewer, commands, ...found };
}

function thisInstallation(): UpdateServices {
  return {
    folder: packageFolder(),
    version: packageVersion(),
    name: packageName(),
    repository: packageRepository(),
    run: async (program, words, cwd) => {
      // A question for a password would wait for ever.
      const env = { ...process.env, GIT_TERMINAL_PROMPT: "0" };
      return (await run(program, [...words], { cwd, timeout: timeoutMs, env })).stdout;
    },
  };
}

type Found = Pick<Update, "newest" | "problem">;

async function newestTag({ folder, run }: UpdateServices): Promise<Found> {
  try {
    const listed = await run("git", ["ls-remote", "--tags", "--refs", "origin"], folder);
    const versions = listed
      .split("\n")
      .flatMap((line) => /refs\/tags\/v?(\d+\.\d+\.\d+)$/.exec(line)?.[1] ?? []);
    const newest = versions.toSorted(compareVersions).at(-1);
    if (newest !== undefined) return { newest };
    return { problem: "The clone's remote has no tags of versions." };
  } catch (error) {
    return { problem: `git cannot list the tags of the clone's remote: ${lastLine(error)}` };
  }
}

/** The name may belong to a stranger: only a package of our own repository counts. */
async function newestPackage({ folder, name, repository, run }: UpdateServices): Promise<Found> {
  if (repository === undefined) {
    return {
      problem:
        "This package names no repository, so its newer versions cannot be told from a stranger's. Install them as you did this one.",
    };
  }
  try {
    const reply = parseJson(
      await run("npm", ["view", name, "version", "repository.url", "--json"], folder),
    );
    const { version, "repository.url": theirs } = isRecord(reply) ? reply : {};
    if (typeof version !== "string" || sameRepository(theirs) !== sameRepository(repository)) {
      return { problem: `The registry's package ${name} is not of ${repository}.` };
    }
    return { newest: version };
  } catch (error) {
    return { problem: `npm cannot ask the registry for ${name}: ${lastLine(error)}` };
  }
}

/** Compares addresses of one repository, whatever their scheme and ending. */
function sameRepository(url: unknown): string {
  return String(url)
    .toLowerCase()
    .replace(/^.*?([\w.-]+)[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/, "$1/$2/$3");
}

/** Orders `1.10.0` after `1.9.0`. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one, other].map((version) =>
    version.split(".").map((part) => Number.parseInt(part, 10)),
  );
  for (let at = 0; at < 3; at += 1) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function lastLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.trim().split("\n").at(-1) ?? "";
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

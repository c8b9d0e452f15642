// Servers under test, and the time from their start until they can answer.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir, mkdtemp, readFile, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { killGroup, killOnExit, markEnvironment } from "./clean-up.ts";
import { type Client, createClient } from "./load-generator.ts";
import { startLoadMeter } from "./machine-load.ts";

const startLimitMs = 120_000;
const stopLimitMs = 10_000;
const pollEveryMs = 5;

export const commandPath = resolve(import.meta.dirname, "../../dist/cli.js");

/** The same for both sides. */
export interface ServerSettings {
  modelPath: string;
  threads: number;
  slots: number;
  /** Tokens each slot can hold. */
  context: number;
  /** Folder for the servers' homes and logs. */
  temporaryFolder: string;
  /** Ignores the engine that was built for this machine. */
  usesPrebuilt: boolean;
}

export interface RunningServer {
  client: Client;
  port: number;
  /** From the start of the process until the model was loaded and the server could answer. */
  startMs: number;
  /** Cores that other programs used meanwhile. */
  foreignCores: number;
  processGroup: number;
  /** The command as a user would type it. */
  commandLine: string;
  stop: () => Promise<void>;
}

export type StartServer = (settings: ServerSettings) => Promise<RunningServer>;

export async function startOurs(settings: ServerSettings): Promise<RunningServer> {
  return await startOursAt(await createHome(settings.temporaryFolder, settings.usesPrebuilt))(
    settings,
  );
}

/** @param home see `createHome`; keeps files of an earlier server */
export function startOursAt(home: Record<string, string>): StartServer {
  return (settings) => launchOurs(settings, home);
}

async function launchOurs(
  settings: ServerSettings,
  home: Record<string, string>,
): Promise<RunningServer> {
  const port = await findFreePort();
  const settingsEnvironment = {
    MODELCTL_NUM_PARALLEL: String(settings.slots),
    MODELCTL_CONTEXT_LENGTH: String(settings.context),
    MODELCTL_NUM_THREAD: String(settings.threads),
    MODELCTL_MODEL_FOLDERS: dirname(settings.modelPath),
    MODELCTL_KEEP_ALIVE: "-1",
  };
  return await start({
    name: "modelctl",
    values: [process.execPath, commandPath, "serve", "--host", "127.0.0.1", "--port", `${port}`],
    environment: { ...settingsEnvironment, ...home },
    shownEnvironment: settingsEnvironment,
    port,
    settings,
    becomeReady: async (client, isOver) => {
      await poll(client, "/api/version", isOver);
      const status = await client.send("POST", "/api/generate", { model: settings.modelPath });
      if (status !== 200) throw new Error(`modelctl could not load the model: status ${status}`);
    },
  });
}

/** @param environment for llama-server only, such as OpenMP's settings */
export function startPeerWith(
  program: string,
  environment: Record<string, string>,
  more: readonly string[] = [],
): StartServer {
  return async (settings) => {
    const { modelPath, threads, slots, context } = settings;
    const port = await findFreePort();
    return await start({
      name: "llama-server",
      values: [
        ...[program, "-m", modelPath, "-t", `${threads}`, "-tb", `${threads}`],
        ...["-np", `${slots}`, "-c", `${slots * context}`],
        ...["--host", "127.0.0.1", "--port", `${port}`, "--no-webui"],
        ...more,
      ],
      environment,
      shownEnvironment: environment,
      port,
      settings,
      becomeReady: (client, isOver) => poll(client, "/health", isOver),
    });
  };
}

/** Creates a separate home, without the user's settings, store or server. */
export async function createHome(
  parent: string,
  usesPrebuilt = false,
): Promise<Record<string, string>> {
  const home = await mkdtemp(join(parent, "home-"));
  const runtime = join(home, "runtime");
  await mkdir(runtime, { mode: 0o700 });
  const cache = join(home, "cache");
  if (!usesPrebuilt) await linkEngine(cache);
  return {
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_DATA_HOME: join(home, "data"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: cache,
    XDG_RUNTIME_DIR: runtime,
  };
}

/**
 * Links only the engine built for this machine from the user's cache, so that no cached prompts are
 * found.
 */
async function linkEngine(cache: string): Promise<void> {
  const own = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  await mkdir(join(cache, "modelctl"), { recursive: true });
  await symlink(join(own, "modelctl", "engine"), join(cache, "modelctl", "engine"));
}

/** Returns the environment of a child, without the user's settings of either product. */
export function childEnvironment(additions: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(MODELCTL|OLLAMA|LLAMA|GGML)_/.test(name) && name !== "NODE_OPTIONS",
  );
  return { ...Object.fromEntries(inherited), ...markEnvironment, ...additions };
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen(0, "127.0.0.1", done);
  });
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

interface Launch {
  name: string;
  values: readonly string[];
  environment: Record<string, string>;
  shownEnvironment: Record<string, string>;
  port: number;
  settings: ServerSettings;
  becomeReady: (client: Client, isOver: () => boolean) => Promise<void>;
}

async function start(launch: Launch): Promise<RunningServer> {
  const { name, values, environment, port, settings } = launch;
  const logPath = join(settings.temporaryFolder, `${name}-${port}.log`);
  const log = openSync(logPath, "a");
  const [program = "", ...rest] = values;
  const startedAtMs = performance.now();
  const child = spawn(program, rest, {
    stdio: ["ignore", log, log],
    detached: true,
    env: childEnvironment(environment),
    cwd: settings.temporaryFolder,
  });
  closeSync(log);
  const processGroup = child.pid;
  if (processGroup === undefined) {
    const [cause] = await once(child, "error");
    throw new Error(`${name} does not start`, { cause });
  }
  const forget = killOnExit(processGroup);
  const readLoad = startLoadMeter([processGroup]);
  const client = createClient(port, settings.modelPath);
  try {
    await launch.becomeReady(client, () => hasEnded(child));
  } catch (cause) {
    const tail = (await readFile(logPath, "utf8")).split("\n").slice(-20).join("\n");
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${name} did not get ready: ${reason}\n${tail}`, { cause });
  }
  const shown = Object.entries(launch.shownEnvironment).map(([key, value]) => `${key}=${value}`);
  return {
    client,
    port,
    startMs: performance.now() - startedAtMs,
    foreignCores: readLoad(),
    processGroup,
    commandLine: [...shown, ...values].join(" "),
    stop: async () => {
      client.close();
      await end(child, processGroup);
      forget();
    },
  };
}

async function poll(client: Client, path: string, isOver: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + startLimitMs;
  while (performance.now() < deadlineMs) {
    if (isOver()) throw new Error("the process ended");
    const status = await client.send("GET", path).catch(() => 0);
    if (status === 200) return;
    await sleep(pollEveryMs);
  }
  throw new Error(`no answer from ${path}`);
}

/** Terminates the server with its children, and kills them after a while. */
async function end(child: ChildProcess, processGroup: number): Promise<void> {
  if (!hasEnded(child)) {
    const ended = once(child, "exit");
    killGroup(processGroup, "SIGTERM");
    await Promise.race([ended, sleep(stopLimitMs, undefined, { ref: false })]);
  }
  killGroup(processGroup, "SIGKILL");
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

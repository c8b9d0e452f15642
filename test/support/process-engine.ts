// A process engine with its own state folder, and plans of scripts that run the fake server.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type AppConfig, defaultLimits, defaultScale } from "../../source/cloud/app-config.ts";
import type {
  Engine,
  LogLine,
  ReplicaObservation,
  RevisionPlan,
} from "../../source/cloud/engines/engine.ts";
import {
  createProcessEngine,
  type ProcessEngineOptions,
} from "../../source/cloud/engines/process/process-engine.ts";
import { StateDatabase, stateFile } from "../../source/cloud/state/database.ts";
import { Reservations } from "../../source/cloud/state/reservations.ts";
import { until } from "./until.ts";

const fixtures = path.join(import.meta.dirname, "..", "fixtures", "cloud");
export const fakeServer = path.join(fixtures, "fake-server.py");

/** Blocks, as recipes do; its port is the one that it says everywhere: 8000. */
export const serveScript = `
import os, subprocess, sys

def serve():
    server = os.environ["FAKE_SERVER"]
    subprocess.run([sys.executable, server, "--host", "0.0.0.0", "--port", "8000"])
`;

export const defaultConfig: AppConfig = {
  kind: "function",
  exposedPort: 8000,
  healthPath: "/health",
  auth: "private",
  scale: defaultScale,
  limits: { ...defaultLimits, startupTimeoutMs: 30_000, terminationGraceMs: 2_000 },
  hardware: { machineType: undefined, gpuCount: 0 },
  requirements: [],
  environment: {},
  secretNames: [],
  executables: [],
  coldStart: "wait",
  noWakePaths: [],
  portRewrite: "auto",
  upstreamAuthorizationSecret: undefined,
};

/** Its real path, as /proc shows it. */
export function makeStateFolder(): string {
  return realpathSync(mkdtempSync(path.join(tmpdir(), "deployctl-engine-")));
}

/** Writes a bundle with this script into the state folder. */
export function makePlan(
  stateFolder: string,
  script: string = serveScript,
  change: Partial<AppConfig> = {},
): RevisionPlan {
  const bundleFolder = mkdtempSync(path.join(stateFolder, "bundle-"));
  mkdirSync(bundleFolder, { recursive: true });
  writeFileSync(path.join(bundleFolder, "deploy.py"), script);
  const environment = { FAKE_SERVER: fakeServer, ...change.environment };
  return {
    organisation: "local",
    app: "demo",
    revision: "r0001-00000000",
    bundleFolder,
    script: "deploy.py",
    target: "serve",
    config: { ...defaultConfig, ...change, environment },
  };
}

export interface OpenEngine {
  engine: Engine;
  reservations: Reservations;
  /** Events of the engine. */
  told: string[];
  /** Replicas live on. */
  close: () => Promise<void>;
}

export function openEngine(
  stateFolder: string,
  options: Partial<ProcessEngineOptions> = {},
): OpenEngine {
  const database = StateDatabase.open(stateFile(stateFolder));
  const reservations = new Reservations(database);
  const told: string[] = [];
  const engine = createProcessEngine({
    stateFolder,
    reservations,
    prepareEnvironment: async () => ({ python: "python3", variables: {} }),
    log: (text) => told.push(text),
    ...options,
  });
  const close = async () => {
    await engine.close();
    database.close();
  };
  return { engine, reservations, told, close };
}

/** Resolves when the replica is in this phase; fails when it has exited instead. */
export async function untilPhase(
  engine: Engine,
  replica: string,
  phase: ReplicaObservation["phase"],
  limitMs?: number,
): Promise<ReplicaObservation> {
  const found = await until(
    async () => (await engine.observe()).find((one) => one.replica === replica),
    (one) => one?.phase === phase || one?.phase === "exited",
    limitMs,
  );
  if (found?.phase !== phase) throw new Error(`it has exited: ${JSON.stringify(found, null, 1)}`);
  return found;
}

export async function linesOf(lines: AsyncIterable<LogLine>): Promise<LogLine[]> {
  const found: LogLine[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

/** Ends all replicas, the engine, and the folder. */
export async function endEngine(stateFolder: string, { engine, close }: OpenEngine): Promise<void> {
  const observed = await engine.observe();
  await Promise.all(
    observed.map(({ replica }) => engine.stopReplica(replica, { signal: "kill", graceMs: 0 })),
  );
  await close();
  rmSync(stateFolder, { recursive: true, force: true });
}

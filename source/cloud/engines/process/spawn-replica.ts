// Spawning of a replica: runner.py, detached, with its output in files.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import path from "node:path";
import { spawnWatched } from "../../../base/parent-watch.ts";
import { inheritedVariables } from "../../inherited-variables.ts";
import { pythonFolder } from "../../inspection/python-program.ts";
import type { ReplicaRequest } from "../engine.ts";
import { nonceVariable } from "./process-table.ts";

export interface SpawnOptions {
  request: ReplicaRequest;
  /** The interpreter. */
  python: string;
  /** Variables of the revision's environment, such as VIRTUAL_ENV. */
  additions: Record<string, string>;
  nonce: string;
  port: number;
  /** UUIDs; undefined shows all GPUs, an empty list none. */
  gpus: readonly string[] | undefined;
  raw: { stdout: string; stderr: string };
  /** Default folder for model weights. */
  weightsFolder: string;
  /** Variables of the control plane, of which a short list is passed on. */
  inherited: NodeJS.ProcessEnv;
}

const ownerOnly = 0o600;

/** Returns the path of runner.py. */
export function runnerFile(): string {
  return path.join(pythonFolder(), "runner.py");
}

/** @returns a child that outlives this process, unless the request says otherwise */
export function spawnReplica(options: SpawnOptions): ChildProcess {
  const { request, python, raw } = options;
  const { bundleFolder, script, target } = request.plan;
  // Append mode, so that an emptied file grows from its start.
  const output = [openSync(raw.stdout, "a", ownerOnly), openSync(raw.stderr, "a", ownerOnly)];
  try {
    const file = path.join(bundleFolder, script);
    const words = ["-u", runnerFile(), "--script", file, "--target", target];
    const start = () =>
      spawn(python, words, {
        cwd: bundleFolder,
        detached: true,
        stdio: ["ignore", ...output],
        env: environmentOf(options),
      });
    const child = request.endsWithServer ? spawnWatched("group", start) : start();
    child.unref();
    return child;
  } finally {
    for (const descriptor of output) closeSync(descriptor);
  }
}

/**
 * Later entries win: inherited, defaults, the environment's, the configuration's, secrets, ours.
 */
export function environmentOf({
  request: { replica, plan, secrets },
  additions,
  nonce,
  port,
  gpus,
  weightsFolder,
  inherited,
}: Omit<SpawnOptions, "python" | "raw">): NodeJS.ProcessEnv {
  return {
    PYTHONUNBUFFERED: "1",
    HF_HOME: weightsFolder,
    ...inheritedVariables(inherited),
    ...additions,
    ...plan.config.environment,
    ...secrets,
    ...(gpus !== undefined && { CUDA_VISIBLE_DEVICES: gpus.join(",") }),
    PORT: String(port),
    DEPLOYCTL_PORT: String(port),
    DEPLOYCTL_PORT_MAP: `${plan.config.exposedPort}:${port}`,
    DEPLOYCTL_PORT_REWRITE: plan.config.portRewrite,
    DEPLOYCTL_REPLICA: replica,
    [nonceVariable]: nonce,
  };
}

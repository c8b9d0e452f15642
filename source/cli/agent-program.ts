// The program of a coding agent: found on the PATH, and given the terminal until it ends.
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants as fileConstants, statSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import type { Agent } from "../agents/agent.ts";
import { agents } from "../agents/agents.ts";
import { agentErrors } from "../agents/errors.ts";
import { ProductError } from "../base/product-error.ts";

/** @returns the program's path; undefined if no folder of the PATH has it */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => path.join(folder, name)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, fileConstants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // missing, or not for this user
  }
}

export function agentsInstalledFirst(): { agent: Agent; isInstalled: boolean }[] {
  return agents
    .map((agent) => ({ agent, isInstalled: findProgram(agent.name) !== undefined }))
    .sort((one, other) => Number(other.isInstalled) - Number(one.isInstalled));
}

/** @throws ProductError `AGENT_NOT_INSTALLED` */
export function requireProgram({ name, title, install }: Agent): string {
  const program = findProgram(name);
  if (program !== undefined) return program;
  throw new ProductError(agentErrors.notInstalled, {
    message: `${title} is not installed: no program '${name}' on the PATH.`,
    hint: `Install it with: ${install.join(" ")}`,
  });
}

/**
 * Gives the terminal to a program until it ends.
 *
 * @param environment added to this process's own
 * @returns its exit code; as a shell reports it for a program that a signal ended
 * @throws ProductError `AGENT_NOT_INSTALLED` for a program that does not start
 */
export async function runProgram(
  program: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<number> {
  const child = spawn(program, words, {
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  const stopPassing = passSignals(child);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once("error", (error) => {
        reject(
          new ProductError(agentErrors.notInstalled, {
            message: `${program} does not start: ${error.message}.`,
            hint: "Check that it is installed completely.",
          }),
        );
      });
      child.once("exit", (code, signal) => {
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
      });
    });
  } finally {
    stopPassing();
  }
}

/** Passes on the signals that a terminal does not send to the child, too. */
function passSignals(child: ChildProcess): () => void {
  const ignore = () => {};
  const pass = (signal: NodeJS.Signals) => () => void child.kill(signal);
  const handlers: [NodeJS.Signals, () => void][] = [
    ["SIGINT", process.stdin.isTTY ? ignore : pass("SIGINT")],
    ["SIGQUIT", ignore],
    ["SIGTERM", pass("SIGTERM")],
    ["SIGHUP", pass("SIGHUP")],
  ];
  for (const [signal, handle] of handlers) process.on(signal, handle);
  return () => {
    for (const [signal, handle] of handlers) process.off(signal, handle);
  };
}

// Runs commands within the test's own process: without the time that a process needs to start.
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import type { Program } from "../../source/cli/program/definition.ts";
import { runProgram } from "../../source/cli/program/run-program.ts";

export interface CommandCall {
  /** Runs the program; sets the exit code and never throws. */
  run: (words: string[]) => Promise<void>;
  /** The program's file, as the command starts a server with it. */
  entry: string;
  words: readonly string[];
  environment: Record<string, string>;
  folder: string;
  input: string;
}

export interface CallOutcome {
  code: number;
  output: string;
  errors: string;
}

let last: Promise<unknown> = Promise.resolve();

export async function callCommand({
  program,
  ...call
}: Omit<CommandCall, "run"> & { program: Program }): Promise<CallOutcome> {
  const run = async (words: string[]) =>
    await runProgram(async () => program, words, { debugVariable: "MODELCTL_DEBUG" });
  return await callProgram({ ...call, run });
}

/** Runs a command after those called before: each has the whole process, its environment and its streams. */
export async function callProgram(call: CommandCall): Promise<CallOutcome> {
  const outcome = last.then(async () => await runAlone(call));
  last = outcome.catch(() => {});
  return await outcome;
}

async function runAlone({ run, entry, words, environment, folder, input }: CommandCall) {
  const before = {
    argv: process.argv,
    environment: { ...process.env },
    folder: process.cwd(),
    exitCode: process.exitCode,
  };
  const output = new Collector();
  const errors = new Collector();
  const giveBack = replaceStreams({
    stdin: Readable.from([input]),
    stdout: output,
    stderr: errors,
  });
  process.argv = [process.execPath, entry, ...words];
  setEnvironment(environment);
  process.chdir(folder);
  try {
    await run([...words]);
    const code = Number(process.exitCode);
    await Promise.all([output.finish(), errors.finish()]);
    return { code, output: output.text, errors: errors.text };
  } finally {
    process.argv = before.argv;
    setEnvironment(before.environment);
    process.chdir(before.folder);
    process.exitCode = before.exitCode;
    giveBack();
  }
}

class Collector extends Writable {
  text = "";

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.text += piece.toString("utf8");
    done();
  }

  async finish(): Promise<void> {
    if (this.writableFinished) return;
    const finished = once(this, "finish");
    this.end();
    await finished;
  }
}

/** @returns puts the former streams back */
function replaceStreams(streams: Record<"stdin" | "stdout" | "stderr", unknown>): () => void {
  const former = Object.keys(streams).map(
    (name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const,
  );
  for (const [name, value] of Object.entries(streams)) {
    Object.defineProperty(process, name, { value, configurable: true });
  }
  return () => {
    for (const [name, descriptor] of former) {
      if (descriptor !== undefined) Object.defineProperty(process, name, descriptor);
    }
  };
}

/** Changes the variables in place: modules keep the object. */
function setEnvironment(wanted: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) {
    if (wanted[name] === undefined) delete process.env[name];
  }
  Object.assign(process.env, wanted);
}

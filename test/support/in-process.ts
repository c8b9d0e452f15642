// Runs commands of the built programs within the test's process, which loads each program once.
import { once } from "node:events";
import { createRequire } from "node:module";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import type { Outcome } from "./command-line.ts";

export interface InProcessCommand {
  words: readonly string[];
  /** All of it. */
  environment: Record<string, string>;
  folder: string;
  /** Standard input. Defaults to empty. */
  input?: string;
}

interface Program {
  /** The file that starts it, by which a command starts further processes. */
  entry: string;
  /** Sets the exit code. */
  run: (words: string[]) => Promise<void>;
}

type Modelctl = typeof import("../../source/cli/run-modelctl.ts");
type Deployctl = typeof import("../../source/cli/run-deployctl.ts");

const dist = path.join(import.meta.dirname, "..", "..", "dist");
// Unlike an import, not transformed by Vitest.
const require = createRequire(import.meta.url);
const load = (file: string): unknown => require(path.join(dist, file));

const programs = {
  modelctl: {
    entry: path.join(dist, "cli.js"),
    run: async (words) => await (load("run-modelctl.js") as Modelctl).runModelctl(words),
  },
  deployctl: {
    entry: path.join(dist, "deployctl.js"),
    run: async (words) => await (load("run-deployctl.js") as Deployctl).runDeployctl(words),
  },
} satisfies Record<string, Program>;

let last: Promise<unknown> = Promise.resolve();

/** Runs a command after those called before: each has the process's environment and streams to itself. */
export async function runInProcess(
  name: keyof typeof programs,
  command: InProcessCommand,
): Promise<Outcome> {
  const outcome = last.then(async () => await runAlone(programs[name], command));
  last = outcome.catch(() => {});
  return await outcome;
}

async function runAlone(program: Program, command: InProcessCommand): Promise<Outcome> {
  const { words, environment, folder, input = "" } = command;
  const before = {
    argv: process.argv,
    environment: { ...process.env },
    folder: process.cwd(),
    exitCode: process.exitCode,
  };
  const [stdout, stderr] = [new Collector(), new Collector()];
  const giveBack = replaceStreams({ stdin: Readable.from([input]), stdout, stderr });
  process.argv = [process.execPath, program.entry, ...words];
  setEnvironment(environment);
  process.chdir(folder);
  try {
    await program.run([...words]);
    const code = Number(process.exitCode);
    await Promise.all([stdout.finish(), stderr.finish()]);
    return { code, output: stdout.text, errors: stderr.text };
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

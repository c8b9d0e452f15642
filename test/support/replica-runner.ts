// Runs scripts with runner.py like the process engine: in a separate group, on a port.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pythonFolder, pythonProgram } from "../../source/cloud/inspection/python-program.ts";
import { findFreePort } from "./command-line.ts";
import { until } from "./until.ts";

export const python = pythonProgram(process.env);
const mark = "@deployctl ";

/** The runner's reports: its phase, and the facts of that phase. */
export type RunnerEvent = Record<string, unknown> & { phase: string };

export interface RunOptions {
  /** The interpreter; undefined: the machine's. */
  program?: string;
  target?: string;
  environment?: Record<string, string>;
  /** Files next to the script. */
  files?: Record<string, string>;
}

/** A folder for scripts, and the replicas that were started in it. */
export class ScriptFolder {
  readonly path = realpathSync(mkdtempSync(path.join(tmpdir(), "deployctl-script-")));
  readonly #replicas: RunningReplica[] = [];

  write(name: string, text: string): string {
    const file = path.join(this.path, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  async start(text: string, options: RunOptions = {}): Promise<RunningReplica> {
    const script = this.write("deploy.py", text);
    for (const [name, content] of Object.entries(options.files ?? {})) this.write(name, content);
    return await this.startFile(script, options);
  }

  /** Starts a script that is there already. */
  async startFile(script: string, options: RunOptions = {}): Promise<RunningReplica> {
    const replica = new RunningReplica(script, await findFreePort(), this.path, options);
    this.#replicas.push(replica);
    return replica;
  }

  /** Ends what still runs, and removes the folder. */
  async remove(): Promise<void> {
    for (const replica of this.#replicas) replica.kill("SIGKILL");
    await Promise.all(this.#replicas.map(({ ended }) => ended));
    rmSync(this.path, { recursive: true, force: true });
  }
}

export class RunningReplica {
  readonly port: number;
  /** The exit code; undefined when a signal ended it. */
  readonly ended: Promise<number | undefined>;
  readonly #child: ChildProcess;
  #output = "";
  #errors = "";

  constructor(script: string, port: number, folder: string, options: RunOptions) {
    const { program = python, target = "serve", environment = {} } = options;
    this.port = port;
    const runner = path.join(pythonFolder(), "runner.py");
    this.#child = spawn(program, ["-u", runner, "--script", script, "--target", target], {
      cwd: folder,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH ?? "",
        HOME: folder,
        PYTHONDONTWRITEBYTECODE: "1",
        PORT: String(port),
        DEPLOYCTL_PORT: String(port),
        DEPLOYCTL_PORT_MAP: `8000:${port}`,
        DEPLOYCTL_REPLICA: "replica-1",
        DEPLOYCTL_NONCE: `nonce-${port}`,
        ...environment,
      },
    });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errors += text;
    });
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      // Not "close": what outlives the runner keeps its output open.
      this.#child.once("exit", (code) => resolve(code ?? undefined));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get output(): string {
    return this.#output;
  }

  get errors(): string {
    return this.#errors;
  }

  get events(): RunnerEvent[] {
    return this.#output.split("\n").flatMap((line) => {
      const start = line.indexOf(mark);
      return start === -1 ? [] : [JSON.parse(line.slice(start + mark.length)) as RunnerEvent];
    });
  }

  event(phase: string): RunnerEvent | undefined {
    return this.events.findLast((event) => event.phase === phase);
  }

  /** Resolves with the event when it has come. */
  async told(phase: string): Promise<RunnerEvent> {
    const event = await until(
      () => this.event(phase) ?? { phase: "none", output: this.output, errors: this.errors },
      (seen) => seen.phase === phase,
    );
    return event;
  }

  /** Resolves once the text has been printed. */
  async printed(text: string): Promise<void> {
    await until(
      () => this.#output + this.#errors,
      (seen) => seen.includes(text),
    );
  }

  /** Resolves with the first answer at a path of the replica's port. */
  async answer(pathName = "/", options: RequestInit = {}): Promise<Response> {
    return await until(
      async () => {
        try {
          return await fetch(`${this.url}${pathName}`, options);
        } catch {
          return undefined; // it does not listen yet
        }
      },
      (response) => response !== undefined,
    ).then((response) => {
      if (response === undefined) throw new Error("it never answered");
      return response;
    });
  }

  /** To the whole group, as the engine does. */
  kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
}

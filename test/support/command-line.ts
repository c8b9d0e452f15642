// Runs the built command as a user does, with its own home folder and port.
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { readServerFile, type ServerFile } from "../../source/client/server-file.ts";
import { runInProcess } from "./in-process.ts";
import { isAlive, processesOfHome } from "./processes.ts";
import { until } from "./until.ts";

export const repositoryFolder = path.join(import.meta.dirname, "..", "..");
export const entryFile = path.join(repositoryFolder, "dist", "cli.js");
export const tinyFile = path.join(repositoryFolder, "media", "models", "tiny-chat.gguf");

export interface Outcome {
  /** Undefined when a signal ended it. */
  code: number | undefined;
  output: string;
  errors: string;
}

export interface RunOptions {
  /** Standard input: a file's text by default empty; `socket` is what other programs often give. */
  input?: { kind: "file" | "pipe" | "socket"; text: string };
  environment?: Record<string, string>;
  folder?: string;
  userId?: number;
}

export interface CallOptions {
  /** Standard input. Defaults to empty. */
  input?: string;
  environment?: Record<string, string>;
  folder?: string;
}

export interface Started {
  child: ChildProcess;
  /** Standard output so far. */
  output: () => string;
  ended: Promise<Outcome>;
}

/** A port that was free a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
}

/** A user's home, with its own settings, state and server. */
export class Home {
  readonly folder: string;
  readonly port: number;
  #inputs = 0;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  static async create(): Promise<Home> {
    return new Home(mkdtempSync(path.join(tmpdir(), "modelctl-home-")), await findFreePort());
  }

  get stateFolder(): string {
    return path.join(this.folder, "state", "modelctl");
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get environment(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? "",
      HOME: this.folder,
      XDG_CONFIG_HOME: path.join(this.folder, "config"),
      XDG_DATA_HOME: path.join(this.folder, "data"),
      XDG_STATE_HOME: path.join(this.folder, "state"),
      XDG_CACHE_HOME: path.join(this.folder, "cache"),
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "",
      MODELCTL_HOST: `127.0.0.1:${this.port}`,
      MODELCTL_GPU: "cpu",
    };
  }

  start(words: readonly string[], options: RunOptions = {}): Started {
    return this.startProgram(process.execPath, [entryFile, ...words], options);
  }

  async run(words: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    return await this.start(words, options).ended;
  }

  /**
   * Runs a command within the test's own process, one at a time and in a tenth of the time: to see what it
   * prints and how it fails. Processes, signals and terminals need `run` or `start`.
   */
  async call(
    words: readonly string[],
    { input = "", environment = {}, folder = this.folder }: CallOptions = {},
  ): Promise<Outcome> {
    return await runInProcess("modelctl", {
      words,
      environment: { ...this.environment, ...environment },
      folder,
      input,
    });
  }

  startProgram(program: string, words: readonly string[], options: RunOptions = {}): Started {
    const { input = { kind: "file", text: "" } } = options;
    const file = input.kind === "file" ? this.#openInput(input.text) : undefined;
    const stdio: StdioOptions = [file ?? "pipe", "pipe", "pipe"];
    const spawned = {
      cwd: options.folder ?? this.folder,
      env: { ...this.environment, ...options.environment },
      ...(options.userId !== undefined && { uid: options.userId, gid: options.userId }),
    };
    const child =
      input.kind === "pipe"
        ? // Only a shell makes a true pipe: Node hands out a socket pair.
          spawn("/bin/sh", ["-c", 'cat | "$@"', "sh", program, ...words], { ...spawned, stdio })
        : spawn(program, words, { ...spawned, stdio });
    if (file === undefined) child.stdin?.end(input.text);
    else closeSync(file);
    return { child, ...collect(child) };
  }

  serverFile(): ServerFile | undefined {
    return readServerFile(this.stateFolder);
  }

  /** Kills the server with its runner and waits until it is gone. */
  async killServer(): Promise<void> {
    const server = this.serverFile();
    if (server === undefined) throw new Error("there is no server to kill");
    process.kill(server.pid, "SIGKILL");
    await until(
      () => isAlive(server.pid),
      (alive) => !alive,
    );
  }

  /** Ends whatever still runs with this home, and removes it. */
  async remove(): Promise<void> {
    await until(
      () => {
        const found = processesOfHome(this.folder);
        for (const { id } of found) killIfAlive(id);
        return found;
      },
      (found) => found.length === 0,
    );
    rmSync(this.folder, { recursive: true, force: true });
  }

  #openInput(text: string): number {
    this.#inputs += 1;
    const folder = path.join(this.folder, "inputs");
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `${this.#inputs}.txt`);
    writeFileSync(file, text);
    return openSync(file, "r");
  }
}

function killIfAlive(processId: number): void {
  try {
    process.kill(processId, "SIGKILL");
  } catch {
    // it ended by itself
  }
}

function collect(child: ChildProcess): Pick<Started, "output" | "ended"> {
  let output = "";
  let errors = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  // A program that does not read its input is no error of the test.
  child.stdin?.on("error", () => {});
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? undefined, output, errors }));
  });
  return { output: () => output, ended };
}

// Runs the built deployctl as a user does, with its own state folder and gateway port.
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import {
  type CallOptions,
  findFreePort,
  Home,
  type Outcome,
  type RunOptions,
  repositoryFolder,
  type Started,
} from "./command-line.ts";
import { runInProcess } from "./in-process.ts";

export const entryFile = path.join(repositoryFolder, "dist", "deployctl.js");
export const fakeServer = path.join(repositoryFolder, "test/fixtures/cloud/fake-server.py");

export class CloudHome {
  readonly home: Home;
  readonly gatewayPort: number;
  /** First on the PATH of everything that is started here. */
  readonly programs: string;

  private constructor(home: Home, gatewayPort: number) {
    this.home = home;
    this.gatewayPort = gatewayPort;
    this.programs = path.join(home.folder, "bin");
    mkdirSync(this.programs);
    symlinkSync(process.execPath, path.join(this.programs, "node"));
  }

  static async create(): Promise<CloudHome> {
    return new CloudHome(await Home.create(), await findFreePort());
  }

  get folder(): string {
    return this.home.folder;
  }

  get stateFolder(): string {
    return path.join(this.folder, "data", "deployctl");
  }

  get environment(): Record<string, string> {
    const { PATH = "" } = this.home.environment;
    return {
      PATH: `${this.programs}${path.delimiter}${PATH}`,
      DEPLOYCTL_LISTEN: `127.0.0.1:${this.gatewayPort}`,
    };
  }

  /** An executable that is the fake model server, by default on the PATH. */
  installFakeServer(name: string, folder = this.programs): void {
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, name);
    copyFileSync(fakeServer, file);
    chmodSync(file, 0o755);
  }

  /** @returns its path */
  write(name: string, text: string): string {
    const file = path.join(this.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  start(words: readonly string[], options: RunOptions = {}): Started {
    return this.home.startProgram(process.execPath, [entryFile, ...words], {
      ...options,
      environment: { ...this.environment, ...options.environment },
    });
  }

  /** In a process of its own. */
  async run(words: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    return await this.start(words, options).ended;
  }

  /** Within the test's own process, like `Home.call`. */
  async call(words: readonly string[], options: CallOptions = {}): Promise<Outcome> {
    const { folder = this.folder, input = "" } = options;
    const environment = { ...this.home.environment, ...this.environment, ...options.environment };
    return await runInProcess("deployctl", { words, environment, folder, input });
  }

  /** Runs a command that must succeed, and reads its JSON document. */
  async json<T = Record<string, unknown>>(
    words: readonly string[],
    options: CallOptions = {},
  ): Promise<T> {
    const outcome = await this.call([...words, "--json"], options);
    expect(outcome, outcome.errors).toMatchObject({ code: 0 });
    return JSON.parse(outcome.output) as T;
  }

  /** A key that may call apps. */
  async createKey(...words: string[]): Promise<string> {
    const made = await this.json<{ token: string }>(["keys", "create", "--scope", "api", ...words]);
    return made.token;
  }

  /** Ends whatever still runs here, and removes the folder. */
  async remove(): Promise<void> {
    await this.home.remove();
  }
}

/** A script whose function serves with the fake model server. */
export function fakeServerScript(options: { decorator?: string; words?: string } = {}): string {
  const { decorator = "@deployctl.app(port=8000)", words = "" } = options;
  return `import subprocess
import sys

import deployctl


${decorator}
def serve():
    subprocess.run([sys.executable, ${JSON.stringify(fakeServer)}, "--port", "8000", ${words}])
`;
}

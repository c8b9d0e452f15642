// A tool server as a program of its own process group, which speaks MCP on standard input and output.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { spawnWatched } from "../base/parent-watch.ts";
import { systemCode } from "../base/write-refusal.ts";
import type { ProgramDefinition } from "./server-definition.ts";
import { serverEnvironment } from "./server-environment.ts";

/** A server that sends a larger message is ended: it is held in memory as a whole. */
const maxMessageBytes = 16 * 1024 * 1024;

const maxLogLines = 10;
const maxLogLineLength = 500;

/** Times until a server that was asked to end is made to. */
const politeMs = 300;
const graceMs = 1500;

/** Time for the output of a server that has ended. */
const outputMs = 1000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export class ServerProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly #definition: ProgramDefinition;
  readonly #messages = new ReadBuffer({ maxBufferSize: maxMessageBytes });
  readonly #log: string[] = [];
  #child: Child | undefined;
  #ending: Promise<void> | undefined;
  #failure: string | undefined;

  constructor(definition: ProgramDefinition) {
    this.#definition = definition;
  }

  /** Reason of the end, such as `ended with code 1`. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Last lines of standard error, and of standard output outside the protocol. */
  get lastLines(): readonly string[] {
    return this.#log.filter((line) => line.trim() !== "");
  }

  async start(): Promise<void> {
    const { command, args, env } = this.#definition;
    const child: Child = spawnWatched("group", () =>
      spawn(command, args, {
        env: { ...serverEnvironment(), ...env },
        stdio: ["pipe", "pipe", "pipe"],
        detached: process.platform !== "win32",
        // Commands such as npx are scripts of the shell there.
        shell: process.platform === "win32",
        windowsHide: true,
      }),
    );
    this.#child = child;
    child.stdin.on("error", (error) => this.onerror?.(error));
    child.stdout.on("data", (piece: Buffer) => this.#read(piece));
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text: string) => this.#keep(text));
    child.once("exit", (code, signal) => {
      this.#failure ??= `ended with ${signal ?? `code ${code}`}`;
      this.#endGroup("SIGKILL");
      // Its last lines are still to be read, but a helper outside the group may hold the output open.
      const late = setTimeout(() => this.onclose?.(), outputMs);
      child.once("close", () => {
        clearTimeout(late);
        this.onclose?.();
      });
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => {
        this.#failure = startFailure(command, error);
        reject(new Error(this.#failure));
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (child === undefined || !child.stdin.writable) throw new Error("The server has ended.");
    if (child.stdin.write(serializeMessage(message))) return;
    await new Promise<void>((resolve) => {
      child.stdin.once("drain", resolve);
      child.once("exit", () => resolve());
    });
  }

  /** Ends the whole group; never fails. */
  async close(): Promise<void> {
    this.#ending ??= this.#end();
    await this.#ending;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.stdin.end();
    const polite = setTimeout(() => this.#endGroup("SIGTERM"), politeMs);
    const force = setTimeout(() => this.#endGroup("SIGKILL"), politeMs + graceMs);
    await exit;
    clearTimeout(polite);
    clearTimeout(force);
  }

  #endGroup(signal: NodeJS.Signals): void {
    const child = this.#child;
    if (child?.pid === undefined) return;
    try {
      if (process.platform === "win32") child.kill(signal);
      else process.kill(-child.pid, signal);
    } catch {
      // The group has ended already.
    }
  }

  #read(piece: Buffer): void {
    try {
      this.#messages.append(piece);
    } catch {
      this.#failure = `sent a message of more than ${maxMessageBytes / 1024 / 1024} MiB`;
      this.#endGroup("SIGKILL");
      return;
    }
    for (;;) {
      try {
        const message = this.#messages.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line of standard output that is not a message: the next ones are read.
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  #keep(text: string): void {
    const [first = "", ...lines] = text.split(/\r?\n/);
    this.#log.push(`${this.#log.pop() ?? ""}${first}`, ...lines);
    this.#log.splice(0, this.#log.length - maxLogLines - 1);
    for (const [index, line] of this.#log.entries()) {
      this.#log[index] = line.slice(0, maxLogLineLength);
    }
  }
}

function startFailure(command: string, error: Error): string {
  switch (systemCode(error)) {
    case "ENOENT":
      return `cannot be started: the command ${command} was not found`;
    case "EACCES":
      return `cannot be started: ${command} may not be executed`;
    default:
      return `cannot be started: ${error.message}`;
  }
}

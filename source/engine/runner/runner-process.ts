// The server's side of a runner: starts the child process, speaks the protocol, and turns the end of
// the child into errors for the requests that were in it.
import { type ChildProcess, fork } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { AsyncQueue } from "../../base/async-queue.ts";
import { spawnWatched } from "../../base/parent-watch.ts";
import { type ErrorDefinition, exitCodes, ProductError } from "../../base/product-error.ts";
import { RingBuffer } from "../../base/ring-buffer.ts";
import { engineErrors } from "../errors.ts";
import type { GenerationEvent, GenerationRequest, RunnerFacts } from "../generation.ts";
import type { CallName, CallOutput, RunnerCall, RunnerCalls } from "./calls.ts";
import type { LoadSettings } from "./load-settings.ts";
import type { FromRunner, RequestEvent, ToRunner, WireError } from "./protocol.ts";
import { runnerEnvironment } from "./runner-environment.ts";

/** How a runner ended. */
export interface RunnerExit {
  /** True when we asked for it. */
  expected: boolean;
  /** A sentence fragment: `ended with code 1`, `was killed by SIGKILL`. */
  how: string;
  lastLines: string[];
}

export interface RunnerObserver {
  /** 0 to 1, while the model is loading. */
  progress?(fraction: number): void;
  log?(lines: string[]): void;
  /** Takes a line that the user should see. */
  warn?(text: string): void;
}

const keptLogLines = 200;
/** How lines begin with which native code ends. */
const crashLine =
  /^(?:\S*:\d+: GGML_|GGML_|ggml_|terminate called|libc\+\+abi|FATAL ERROR|Error:|CUDA error)/;
const stopGraceMs = 5000;

// The child is JavaScript in dist/ and TypeScript in a checkout; Node runs both.
const mainFile = fileURLToPath(
  new URL(`./runner-main${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url),
);

/** One loaded model in a process of its own. */
export class RunnerProcess {
  /** Settles when the process has ended, whatever the reason. */
  readonly exited: Promise<RunnerExit>;
  readonly #child: ChildProcess;
  readonly #log = new RingBuffer<string>(keptLogLines);
  readonly #observer: RunnerObserver;
  readonly #requests = new Map<number, AsyncQueue<GenerationEvent>>();
  readonly #calls = new Map<number, PromiseWithResolvers<CallOutput>>();
  readonly #load = Promise.withResolvers<RunnerFacts>();
  /** The binding's engine does, whatever it is told. */
  readonly #tellsPrompts: boolean;
  #isLoaded = false;
  #nextId = 1;
  #stopping = false;
  #exit: RunnerExit | undefined;

  private constructor(settings: LoadSettings, observer: RunnerObserver, mayLoad: Promise<void>) {
    this.#observer = observer;
    this.#tellsPrompts = settings.vision?.engine === "prebuilt";
    this.#child = spawnWatched("process", () =>
      fork(mainFile, [], {
        // The binding's engine prints prompts; of its errors, stderr tells enough.
        stdio: ["ignore", this.#tellsPrompts ? "ignore" : "pipe", "pipe", "ipc"],
        serialization: "json",
        env: runnerEnvironment(process.env),
        // What a step leaves behind in JavaScript is little: the heap's young part need not grow.
        execArgv: ["--max-semi-space-size=1"],
      }),
    );
    this.exited = new Promise((resolve) => {
      this.#child.once("error", (error) =>
        resolve(this.#end(`could not be run: ${error.message}`)),
      );
      // "close" comes after the last line of its output, "exit" may come before.
      this.#child.once("close", (code, signal) => resolve(this.#end(describeEnd(code, signal))));
    });
    this.#child.on("message", (message: FromRunner) => this.#receive(message));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8");
      stream?.on("data", (text: string) =>
        this.#note(text.split("\n").filter((line) => line !== "" && this.#mayBeNoted(line))),
      );
    }
    this.#send({ type: "load", settings });
    void mayLoad.then(() => this.#send({ type: "proceed" }));
  }

  /**
   * Starts a process and loads the model.
   *
   * @param signal aborting it ends the process
   * @param mayLoad the process gets ready before it resolves, and takes the model's memory afterwards
   * @throws ProductError: that of `loadTextModel`, or `ENGINE_RUNNER_CRASHED`
   */
  static async start(
    settings: LoadSettings,
    observer: RunnerObserver,
    signal?: AbortSignal,
    mayLoad: Promise<void> = Promise.resolve(),
  ): Promise<{ runner: RunnerProcess; facts: RunnerFacts }> {
    const runner = new RunnerProcess(settings, observer, mayLoad);
    const abort = () => runner.kill();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return { runner, facts: await runner.#load.promise };
    } catch (error) {
      runner.kill();
      await runner.exited;
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  get processId(): number | undefined {
    return this.#child.pid;
  }

  get isAlive(): boolean {
    return this.#exit === undefined;
  }

  /** Requests in this runner that have not ended. */
  get activeRequests(): number {
    return this.#requests.size;
  }

  get lastLines(): string[] {
    return this.#log.toArray();
  }

  /**
   * Generates one answer. Aborting the signal ends it with `done` and reason `cancelled` within one
   * step of the engine; so does leaving the loop.
   *
   * @throws ProductError from the engine, or `ENGINE_RUNNER_CRASHED`
   */
  async *generate(
    request: GenerationRequest,
    signal: AbortSignal,
  ): AsyncGenerator<GenerationEvent> {
    const id = this.#nextId;
    this.#nextId += 1;
    const events = new AsyncQueue<GenerationEvent>();
    if (this.#exit !== undefined) throw this.#crashError(this.#exit);
    this.#requests.set(id, events);
    const cancel = () => this.#send({ type: "cancel", id });
    this.#send({ type: "generate", id, request });
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      yield* events;
    } finally {
      signal.removeEventListener("abort", cancel);
      if (this.#requests.delete(id)) cancel();
    }
  }

  /**
   * Asks something that has one answer.
   *
   * @throws ProductError from the engine, or `ENGINE_RUNNER_CRASHED`
   */
  async call<Name extends CallName>(
    name: Name,
    input: RunnerCalls[Name]["input"],
  ): Promise<RunnerCalls[Name]["output"]> {
    if (this.#exit !== undefined) throw this.#crashError(this.#exit);
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = Promise.withResolvers<CallOutput>();
    this.#calls.set(id, answer);
    this.#send({ type: "call", id, call: { name, input } as RunnerCall });
    return (await answer.promise) as RunnerCalls[Name]["output"];
  }

  /** Ends the process, first by asking. Resolves when it is gone. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#send({ type: "stop" });
    const timer = setTimeout(() => this.kill(), stopGraceMs);
    await this.exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.#stopping = true;
    this.#child.kill("SIGKILL");
  }

  #send(message: ToRunner): void {
    // A closed channel is not an error here: `exited` tells everybody.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #receive(message: FromRunner): void {
    switch (message.type) {
      case "progress":
        this.#observer.progress?.(message.fraction);
        break;
      case "loaded":
        this.#isLoaded = true;
        this.#load.resolve(message.facts);
        break;
      case "load-failed":
        this.#load.reject(fromWire(message.error));
        break;
      case "log":
        this.#note(message.lines);
        break;
      case "warning":
        this.#observer.warn?.(message.text);
        break;
      case "result":
        this.#takeCall(message.id)?.resolve(message.output);
        break;
      case "call-failed":
        this.#takeCall(message.id)?.reject(fromWire(message.error));
        break;
      case "events":
        for (const event of message.events) this.#deliver(event);
    }
  }

  #takeCall(id: number): PromiseWithResolvers<CallOutput> | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  #deliver(event: RequestEvent): void {
    const queue = this.#requests.get(event.id);
    if (queue === undefined) return; // its reader has left
    if (event.type === "failed") {
      this.#requests.delete(event.id);
      queue.fail(fromWire(event));
      return;
    }
    // A slow reader finds one long piece of text instead of many short ones.
    if (event.type !== "text" || !queue.replaceLast((last) => mergeText(last, event))) {
      queue.push(event);
    }
    if (event.type === "done") {
      this.#requests.delete(event.id);
      queue.end();
    }
  }

  /** What users write must not get into logs. */
  #mayBeNoted(line: string): boolean {
    return !this.#tellsPrompts || !this.#isLoaded || crashLine.test(line);
  }

  #note(lines: string[]): void {
    for (const line of lines) this.#log.push(line);
    this.#observer.log?.(lines);
  }

  #end(how: string): RunnerExit {
    this.#exit ??= { expected: this.#stopping, how, lastLines: this.#log.toArray().slice(-20) };
    const error = this.#crashError(this.#exit);
    this.#load.reject(error);
    for (const queue of this.#requests.values()) queue.fail(error);
    this.#requests.clear();
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
    return this.#exit;
  }

  #crashError(exit: RunnerExit): ProductError {
    if (exit.expected) {
      return new ProductError(engineErrors.shuttingDown, {
        message: "The model was unloaded while the request was in it.",
        hint: "Send the request again.",
      });
    }
    // Node ends its report of an exception with its version, llama.cpp with a stack of addresses.
    const last =
      exit.lastLines.findLast((line) => /error|assert|abort/i.test(line)) ?? exit.lastLines.at(-1);
    return new ProductError(engineErrors.runnerCrashed, {
      message:
        `model runner has unexpectedly stopped: its process ${exit.how}` +
        `${last === undefined ? "" : `; its last words were: ${last}`}.`,
      hint: "The next request loads the model again; the server's log has more.",
    });
  }
}

function mergeText(last: GenerationEvent, next: GenerationEvent): GenerationEvent | undefined {
  if (last.type !== "text" || next.type !== "text") return undefined;
  const logprobs = [...(last.logprobs ?? []), ...(next.logprobs ?? [])];
  return {
    ...next,
    text: last.text + next.text,
    ...(logprobs.length > 0 && { logprobs }),
  };
}

function describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === "SIGKILL") return "was killed (out of memory, or by hand)";
  if (signal !== null) return `was ended by ${signal} (signal ${constants.signals[signal]})`;
  return `ended with code ${code}`;
}

const definitions = new Map<string, ErrorDefinition>(
  Object.values(engineErrors).map((definition) => [definition.code, definition]),
);

function fromWire(error: WireError): ProductError {
  const definition = definitions.get(error.code) ?? {
    code: error.code,
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "",
  };
  return new ProductError(definition, {
    message: error.message,
    ...(error.hint !== undefined && { hint: error.hint }),
    // A slot becomes free when an answer ends: a matter of seconds.
    ...(error.code === engineErrors.queueFull.code && { retryAfterSeconds: 5 }),
  });
}

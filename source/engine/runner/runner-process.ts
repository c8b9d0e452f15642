// Server's side of a runner: starts the child process, speaks the protocol, and turns the end of
// the child into errors for its requests.
import { type ChildProcess, fork } from "node:child_process";
import { constants } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AsyncQueue } from "../../base/async-queue.ts";
import { spawnWatched } from "../../base/parent-watch.ts";
import { type ErrorDefinition, exitCodes, ProductError } from "../../base/product-error.ts";
import { RingBuffer } from "../../base/ring-buffer.ts";
import { engineErrors } from "../errors.ts";
import type {
  GenerationEvent,
  GenerationPrompt,
  GenerationRequest,
  RunnerFacts,
} from "../generation.ts";
import type { LoadSettings } from "./load-settings.ts";
import { splitPrompt } from "./prompt-parts.ts";
import type {
  CallName,
  CallOutput,
  FromRunner,
  RequestEvent,
  RunnerCall,
  RunnerCalls,
  ToRunner,
  WireError,
} from "./protocol.ts";
import { runnerEnvironment } from "./runner-environment.ts";

/** End of a runner process. */
export interface RunnerExit {
  /** True when the server stopped it. */
  expected: boolean;
  /** A sentence fragment: `ended with code 1; last log line: …`. */
  how: string;
}

export interface RunnerObserver {
  /** Fraction loaded, 0 to 1. */
  progress?(fraction: number): void;
  log?(lines: string[]): void;
  /** Called with a line that the user should see. */
  warn?(text: string): void;
}

/** Last log lines, of which the most informative one explains a crash. */
const keptLogLines = 20;
/** Beginnings of the last line that crashing native code prints. */
const crashLine =
  /^(?:\S*:\d+: GGML_|GGML_|ggml_|terminate called|libc\+\+abi|FATAL ERROR|Error:|CUDA error)/;
const stopGraceMs = 5000;

// The child is JavaScript in dist/ and TypeScript in a checkout; Node runs both.
const mainFile = fileURLToPath(
  new URL(`./runner-main${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url),
);

/** A loaded model in its own process. */
export class RunnerProcess {
  /** Settles when the process has ended, whatever the reason. */
  readonly exited: Promise<RunnerExit>;
  readonly #child: ChildProcess;
  readonly #log = new RingBuffer<string>(keptLogLines);
  readonly #observer: RunnerObserver;
  readonly #requests = new Map<number, AsyncQueue<GenerationEvent>>();
  readonly #calls = new Map<number, PromiseWithResolvers<CallOutput>>();
  readonly #load = Promise.withResolvers<RunnerFacts>();
  /** The binding's engine prints prompts, whatever its log settings. */
  readonly #printsPrompts: boolean;
  #isLoaded = false;
  #nextId = 1;
  #stopping = false;
  #exit: RunnerExit | undefined;

  private constructor(settings: LoadSettings, observer: RunnerObserver, mayLoad: Promise<void>) {
    this.#observer = observer;
    this.#printsPrompts = settings.vision?.engine === "prebuilt";
    this.#child = spawnWatched("process", () =>
      fork(mainFile, [], {
        // The binding's engine prints prompts to stdout; its errors go to stderr.
        stdio: ["ignore", this.#printsPrompts ? "ignore" : "pipe", "pipe", "ipc"],
        serialization: "json",
        env: runnerEnvironment(process.env),
        // Steps leave little garbage, so the young generation of the heap can stay small.
        execArgv: ["--max-semi-space-size=1"],
      }),
    );
    this.exited = new Promise((resolve) => {
      this.#child.once("error", (error) =>
        resolve(this.#end(`could not be run: ${error.message}`)),
      );
      // "close" comes after the last line of output, "exit" may come before it.
      this.#child.once("close", (code, signal) =>
        resolve(this.#end(describeEnd(code, signal, this.#log.toArray()))),
      );
    });
    this.#child.on("message", (message: FromRunner) => this.#receive(message));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8");
      stream?.on("data", (text: string) =>
        this.#note(text.split("\n").filter((line) => line !== "" && this.#isLoggable(line))),
      );
    }
    this.#send({ type: "load", settings });
    void mayLoad.then(() => this.#send({ type: "proceed" }));
  }

  /**
   * Starts a process and loads the model.
   *
   * @param signal aborting it kills the process
   * @param mayLoad resolves when the process may take the model's memory; the process starts at once
   * @throws ProductError: those of `loadTextModel`, or `ENGINE_RUNNER_CRASHED`
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

  /** Number of unfinished requests. */
  get activeRequests(): number {
    return this.#requests.size;
  }

  /**
   * Generates one answer. Aborting the signal ends it with `done` and reason `cancelled` within one
   * step of the engine; leaving the loop stops it too. The iterator throws a ProductError from the
   * engine, or `ENGINE_RUNNER_CRASHED`.
   *
   * @param answerNow aborting it ends the thinking, and the answer follows
   */
  generate(
    request: GenerationRequest,
    signal: AbortSignal,
    answerNow?: AbortSignal,
  ): AsyncIterableIterator<GenerationEvent> {
    const id = this.#nextId;
    this.#nextId += 1;
    const cancel = () => this.#send({ type: "cancel", id });
    const endThinking = () => this.#send({ type: "answer-now", id });
    const events = new AsyncQueue<GenerationEvent>(() => {
      signal.removeEventListener("abort", cancel);
      answerNow?.removeEventListener("abort", endThinking);
      if (this.#requests.delete(id)) cancel();
    });
    if (this.#exit !== undefined) {
      events.fail(this.#crashError(this.#exit));
      return events;
    }
    this.#requests.set(id, events);
    const begin = async () => {
      const prompt = await this.#sendParts(id, request.prompt);
      this.#send({ type: "generate", id, request: { ...request, prompt } });
      if (signal.aborted || !this.#requests.has(id)) cancel();
      else signal.addEventListener("abort", cancel, { once: true });
      if (answerNow?.aborted) endThinking();
      else answerNow?.addEventListener("abort", endThinking, { once: true });
    };
    begin().catch((error: unknown) => events.fail(error));
    return events;
  }

  /**
   * Calls a function of the runner that has one result.
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
    answer.promise.catch(() => {}); // the runner may end before all parts are sent
    const sent = "segments" in input ? await this.#sendParts(id, input) : input;
    this.#send({ type: "call", id, call: { name, input: sent } as RunnerCall });
    return (await answer.promise) as RunnerCalls[Name]["output"];
  }

  /** Stops the process, killing it after a grace period. Resolves when it has ended. */
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
    // A closed channel is not an error here: `exited` reports it.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  /** Yields to other work between the parts of a long prompt. @returns what is left to send */
  async #sendParts(id: number, prompt: GenerationPrompt): Promise<GenerationPrompt> {
    if (!("segments" in prompt)) return prompt;
    const { rest, parts } = splitPrompt(prompt);
    for (const part of parts) {
      this.#send({ type: "part", id, part });
      await nextTurn();
    }
    return rest;
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
    if (queue === undefined) return; // its reader is gone
    if (event.type === "failed") {
      this.#requests.delete(event.id);
      queue.fail(fromWire(event));
      return;
    }
    // Joins text for slow readers into one long piece.
    if (event.type !== "text" || !queue.replaceLast((last) => mergeText(last, event))) {
      queue.push(event);
    }
    if (event.type === "done") {
      this.#requests.delete(event.id);
      queue.end();
    }
  }

  /** Keeps users' prompts out of the logs. */
  #isLoggable(line: string): boolean {
    return !this.#printsPrompts || !this.#isLoaded || crashLine.test(line);
  }

  #note(lines: string[]): void {
    for (const line of lines) this.#log.push(line);
    this.#observer.log?.(lines);
  }

  #end(how: string): RunnerExit {
    this.#exit ??= { expected: this.#stopping, how };
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
        message: "The model was unloaded during the request.",
        hint: "Send the request again.",
      });
    }
    return new ProductError(engineErrors.runnerCrashed, {
      message: `model runner has unexpectedly stopped: its process ${exit.how}.`,
      hint: "The next request reloads the model. The setting debug logs all output of its process.",
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

function describeEnd(
  code: number | null,
  signal: NodeJS.Signals | null,
  lines: readonly string[],
): string {
  // Its output does not explain why it was killed.
  if (signal === "SIGKILL") return "was killed (out of memory, or manually)";
  const how =
    signal === null
      ? `ended with code ${code}`
      : `was ended by ${signal} (signal ${constants.signals[signal]})`;
  // Node prints its version after an exception, llama.cpp a stack of addresses.
  const line = lines.findLast((text) => /error|assert|abort/i.test(text)) ?? lines.at(-1);
  return line === undefined ? how : `${how}; last log line: ${line}`;
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
    // A slot becomes free within seconds, when an answer ends.
    ...(error.code === engineErrors.queueFull.code && { retryAfterSeconds: 5 }),
  });
}

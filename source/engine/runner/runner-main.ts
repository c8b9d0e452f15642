// Main module of a runner, the child process that holds one model. runner-process.ts starts it; it
// exits when the channel closes or, while it computes, when the watchdog finds the parent gone.
import type { EngineConnection, TextEngine } from "../text/text-engine.ts";
import type { VisionEngine } from "../vision/vision-engine.ts";
import type { LoadSettings } from "./load-settings.ts";
import { Outbox } from "./outbox.ts";
import { joinPrompt, type PromptPart } from "./prompt-parts.ts";
import { type ToRunner, toWire } from "./protocol.ts";

const outbox = new Outbox((message, sent) => {
  // A closed channel means that the parent is gone; "disconnect" ends this process.
  return process.send?.(message, undefined, undefined, sent) ?? false;
});
let engine: TextEngine | VisionEngine | undefined;
/** Parts of prompts whose message has not arrived yet, by its id. */
const parts = new Map<number, PromptPart[]>();
const proceeding = Promise.withResolvers<void>();

process.on("message", (message: ToRunner) => {
  switch (message.type) {
    case "load":
      void load(message.settings);
      break;
    case "proceed":
      proceeding.resolve();
      break;
    case "part":
      parts.set(message.id, [...partsOf(message.id), message.part]);
      break;
    case "generate":
      generate(message);
      break;
    case "call":
      void call(message);
      break;
    case "cancel":
      engine?.cancel(message.id);
      break;
    case "answer-now":
      engine?.answerNow(message.id);
      break;
    case "stop":
      void finish();
  }
});
process.on("disconnect", () => leave(0));
// Terminals and service managers signal every process of a group; the parent decides when to stop.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

async function load(settings: LoadSettings): Promise<void> {
  try {
    engine = await openEngine(settings, {
      log: (text) => outbox.log(text),
      warn: (text) => outbox.post({ type: "warning", text }),
      progress: (fraction) => outbox.post({ type: "progress", fraction }),
      mayTakeMemory: () => proceeding.promise,
      flush: () => outbox.flush(),
      ready: () => outbox.ready(),
    });
    outbox.post({ type: "loaded", facts: engine.facts });
  } catch (error) {
    outbox.post({ type: "load-failed", error: toWire(error) });
  }
  outbox.flush();
}

/** Opens one of the two engines: their native libraries never share a process. */
async function openEngine(
  settings: LoadSettings,
  connection: EngineConnection,
): Promise<TextEngine | VisionEngine> {
  if (settings.vision?.engine === "prebuilt") {
    const { VisionEngine } = await import("../vision/vision-engine.ts");
    await connection.mayTakeMemory();
    return await VisionEngine.load(settings, settings.vision, connection);
  }
  const { TextEngine } = await import("../text/text-engine.ts");
  return await TextEngine.load(settings, connection);
}

function partsOf(id: number): PromptPart[] {
  const found = parts.get(id) ?? [];
  parts.delete(id);
  return found;
}

function generate({ id, request }: Extract<ToRunner, { type: "generate" }>): void {
  joinPrompt(request.prompt, partsOf(id));
  try {
    engine?.generate(id, request, (event) => outbox.add({ id, ...event }));
  } catch (error) {
    outbox.add({ id, type: "failed", ...toWire(error) });
    outbox.flush();
  }
}

async function call({ id, call }: Extract<ToRunner, { type: "call" }>): Promise<void> {
  if (call.name === "tokenize") joinPrompt(call.input, partsOf(id));
  try {
    if (engine === undefined) throw new Error("no model is loaded");
    outbox.post({ type: "result", id, output: await engine.call(call) });
  } catch (error) {
    outbox.post({ type: "call-failed", id, error: toWire(error) });
  }
}

/** Saves state before exiting; the server waits only briefly for this. */
async function finish(): Promise<void> {
  try {
    await engine?.finish();
  } finally {
    leave(0);
  }
}

function leave(code: number): never {
  engine?.close();
  process.exit(code);
}

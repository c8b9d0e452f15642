// modelctl run, and modelctl without a command: an answer, or a chat.
import { text as readAll } from "node:stream/consumers";
import { parseDuration } from "../../base/duration.ts";
import { wholeReference } from "../../base/file-path.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "../flags.ts";
import type { CommandFlags, Run } from "../program/definition.ts";
import { type CommandSettings, readSettings } from "../session-settings.ts";
import { builtInModel, type StartingModel, startingModel } from "../starting-model.ts";
import type { chatCommands, startCommand } from "./chat.definition.ts";

const sampleQuestion = "What is the capital of France?";
/** Delay before checking memory: a model that loads sooner fits, and its file need not be read. */
const memoryCheckDelayMs = 500;

/** Without a command: a chat; without a terminal, a sample answer of `tiny`. */
export const start: Run<typeof startCommand> = async (_words, flags) => {
  const settings = readSettings(flags);
  if (process.stdin.isTTY && process.stdout.isTTY) {
    return await chat(() => startingModel(flags, settings), flags, settings, true);
  }
  process.stderr.write(
    `No terminal: answering a sample question, "${sampleQuestion}", with the built-in model ${builtInModel}.\n`,
  );
  const { printAnswer } = await import("../one-shot.ts");
  const { ServerLink } = await import("../server-link.ts");
  // Private server on a free port, which ends with the answer and leaves nothing behind.
  const code = await printAnswer({
    model: builtInModel,
    prompt: sampleQuestion,
    flags,
    link: () => ServerLink.open(flags, settings, "private", builtInModel),
  });
  process.stderr.write(
    'Next: modelctl run tiny "PROMPT", modelctl serve, or modelctl --help; on a terminal, modelctl opens a chat.\n',
  );
  return code;
};

export const run: Run<typeof chatCommands.run> = async (words, typedFlags) => {
  const settings = readSettings(typedFlags);
  const flags = withWholeDraft(typedFlags, settings);
  checkKeepAlive(flags);
  checkForm(flags);
  // A saved chat has a model, so a first word that cannot be a model is part of the question.
  const isQuestion = flags.session !== undefined && /\s|[?!]$/.test(words[0] ?? "");
  const [named, ...promptWords] = isQuestion ? [undefined, ...words] : words;
  const own = named ?? (await modelOfSession(flags, settings));
  const started = own === undefined ? await startingModel(flags, settings) : undefined;
  const reference = own ?? started?.name ?? builtInModel;
  const whole = wholeReference(reference, settings.values.hub_prefixes);
  const model = await withProjectorOf(whole, flags);
  const isSilent = promptWords.length === 0;
  const isChat = isSilent && !flags.json && (process.stdin.isTTY || flags.plain);
  if (isChat) {
    const isLastResort = started?.isLastResort ?? false;
    return await chat(async () => ({ name: model, isLastResort }), flags, settings);
  }
  const piped = process.stdin.isTTY ? "" : (await readAll(process.stdin)).replace(/\n$/, "");
  const prompt = promptWords.filter((text) => text !== "").join(" ");
  // A typed empty prompt loads the model.
  if (isSilent && piped === "") {
    throw usageError("The prompt is empty.", `For example: modelctl run ${reference} "Hello!"`);
  }
  if (flags.session !== undefined) {
    const { continueSession } = await import("../open-line-chat.ts");
    const typed = [piped, prompt].filter((text) => text !== "").join(" ");
    return await continueSession(model, typed, flags, settings);
  }
  const { answerOrPrintVector, printAnswer, printJsonAnswer } = await import("../one-shot.ts");
  const { ServerLink } = await import("../server-link.ts");
  const link = (signal: AbortSignal) =>
    ServerLink.open(flags, settings, "shared", model, { signal });
  const tools = await openTools(flags, settings);
  const question = {
    model,
    prompt,
    piped,
    flags,
    link,
    tools,
    onLoading: memoryNote(model, flags),
  };
  const answer = () =>
    flags.json ? printJsonAnswer(question, flags.stream === true) : printAnswer(question);
  try {
    return await answerOrPrintVector(question, answer);
  } finally {
    await tools?.set.close();
  }
};

async function openTools(flags: Flags, settings: CommandSettings) {
  if (!namesTools(flags)) return undefined;
  const { openChatTools } = await import("../chat-tools.ts");
  return await openChatTools(flags, settings);
}

function namesTools({ tools, allow, allowCommand }: Flags): boolean {
  return (tools ?? allow ?? allowCommand) !== undefined;
}

/** Opens the full screen on a terminal, otherwise the line chat. */
async function chat(
  findModel: () => Promise<StartingModel>,
  flags: Flags,
  settings: CommandSettings,
  isPaintedFirst = false,
): Promise<number> {
  const isScreen =
    process.stdin.isTTY && process.stdout.isTTY && process.env.TERM !== "dumb" && !flags.plain;
  if (isScreen) {
    const { chatOnScreen } = await import("../screen-chat.ts");
    return await chatOnScreen(findModel, flags, settings, isPaintedFirst);
  }
  const { openLineChat } = await import("../open-line-chat.ts");
  return await openLineChat((await findModel()).name, flags, settings);
}

/** The server may run in another folder than the file of a draft model. */
function withWholeDraft<F extends Flags>(flags: F, { values }: CommandSettings): F {
  if (flags.draft === undefined) return flags;
  return { ...flags, draft: wholeReference(flags.draft, values.hub_prefixes) };
}

/** A saved chat has its own model. */
async function modelOfSession(
  flags: Flags,
  settings: CommandSettings,
): Promise<string | undefined> {
  if (flags.session === undefined) return undefined;
  const { SessionStore } = await import("../../chat/sessions/session-store.ts");
  const { name, model, deployment } = await new SessionStore(settings.paths.state).find(
    flags.session,
  );
  if (deployment === undefined) return model;
  throw usageError(
    `'${name}' is a chat with the deployment ${deployment.app}.`,
    "Resume it with Alt+S in modelctl or deployctl, or choose another model: modelctl run MODEL --session NAME",
  );
}

async function withProjectorOf(model: string, flags: Flags): Promise<string> {
  if (flags.mmproj === undefined) return model;
  const { modelWithProjector } = await import("../projector-flag.ts");
  return await modelWithProjector(model, flags.mmproj, flags);
}

/** @throws ProductError `COMMAND_USAGE` for flags that exclude or need each other */
function checkForm({ json, stream, session }: CommandFlags<typeof chatCommands.run>): void {
  if (stream && !json)
    throw usageError("--stream can only be used with --json.", "Text is always streamed.");
  if (json && session !== undefined) {
    throw usageError("--json and --session cannot be used together.", "Remove one of them.");
  }
}

function checkKeepAlive({ keepalive }: Flags): void {
  if (keepalive === undefined || parseDuration(keepalive) !== undefined) return;
  throw usageError(`--keepalive ${keepalive} is not a duration.`, "Use 10m, 300 (seconds), or -1.");
}

/**
 * Returns a function to call when loading begins, which warns on standard error if the model does not
 * fit into memory. It works once, and not for servers on other machines.
 */
function memoryNote(model: string, flags: Flags): () => void {
  let isDone = flags.connect !== undefined;
  return () => {
    if (isDone) return;
    isDone = true;
    setTimeout(() => void printMemoryNote(model, flags), memoryCheckDelayMs).unref();
  };
}

async function printMemoryNote(model: string, flags: Flags): Promise<void> {
  try {
    const { openLibrary } = await import("../model-library.ts");
    const { library, settings } = openLibrary(flags);
    const { fits, sentence } = await library.memoryFit(model, settings.values);
    // Replaces the line with the progress of the load.
    const start = process.stderr.isTTY ? "\r\u001b[K" : "";
    if (!fits) process.stderr.write(`${start}${model} ${sentence}\n`);
  } catch {
    // The server reports problems with the model.
  }
}

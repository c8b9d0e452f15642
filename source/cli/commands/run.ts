// modelctl run: one answer, or a chat.
import { wholeReference } from "../../base/file-path.ts";
import { parseDuration } from "../../configuration/duration.ts";
import { usageError } from "../errors.ts";
import type { Flags } from "../flags.ts";
import { type CommandSettings, readSettings } from "../session-settings.ts";

export async function run(words: string[], flags: Flags): Promise<number> {
  const settings = readSettings(flags);
  checkKeepAlive(flags);
  checkDimensions(flags);
  // A saved chat has a model: a first word with a blank in it begins the question.
  const isQuestion = flags.session !== undefined && /\s/.test(words[0] ?? "");
  const [named, ...promptWords] = isQuestion ? [undefined, ...words] : words;
  const reference = named ?? (await modelOfSession(flags, settings));
  if (reference === undefined) {
    throw usageError("run needs a model.", 'For example: modelctl run tiny "Hello!"');
  }
  const whole = wholeReference(reference, settings.values.hub_prefixes);
  const model = await withProjectorOf(whole, flags);
  const isChat = promptWords.length === 0 && (process.stdin.isTTY || flags.plain);
  const { withModel } = await import("../bring-model.ts");
  if (isChat) return await withModel(model, flags, () => chat(model, flags, settings));
  const piped = process.stdin.isTTY ? "" : await readStandardInput();
  const prompt = promptWords.filter((text) => text !== "").join(" ");
  if (flags.session !== undefined) {
    const { continueSession } = await import("../session-turn.ts");
    const typed = [piped, prompt].filter((text) => text !== "").join(" ");
    return await withModel(model, flags, () => continueSession(model, typed, flags, settings));
  }
  const { printAnswer } = await import("../one-shot.ts");
  const { ServerLink } = await import("../server-link.ts");
  const { orPrintVector } = await import("../print-vector.ts");
  const { memoryNote } = await import("../memory-note.ts");
  const link = (signal: AbortSignal) =>
    ServerLink.open(flags, settings, "shared", model, { signal });
  const question = { model, prompt, piped, flags, link, onLoading: memoryNote(model, flags) };
  return await withModel(model, flags, () => orPrintVector(question, () => printAnswer(question)));
}

/** The full screen where there is one, else a line loop. */
export async function chat(
  model: string,
  flags: Flags,
  settings: CommandSettings,
  isPaintedFirst = false,
): Promise<number> {
  const isScreen =
    process.stdin.isTTY && process.stdout.isTTY && process.env.TERM !== "dumb" && !flags.plain;
  if (isScreen) {
    const { chatOnScreen } = await import("../screen-chat.ts");
    return await chatOnScreen(model, flags, settings, isPaintedFirst);
  }
  const { chatInLines } = await import("../chat-in-lines.ts");
  return await chatInLines(model, flags, settings);
}

/** A saved chat has a model of its own. */
async function modelOfSession(
  flags: Flags,
  settings: CommandSettings,
): Promise<string | undefined> {
  if (flags.session === undefined) return undefined;
  const { SessionStore } = await import("../../application/chat-sessions.ts");
  const { name, model, deployment } = await new SessionStore(settings.paths.state).find(
    flags.session,
  );
  if (deployment === undefined) return model;
  throw usageError(
    `'${name}' is a chat with the deployment ${deployment.app}.`,
    "Alt+S in modelctl or deployctl goes on with it; modelctl run MODEL --session NAME takes another model.",
  );
}

async function withProjectorOf(model: string, flags: Flags): Promise<string> {
  if (flags.mmproj === undefined) return model;
  const { modelWithProjector } = await import("../projector-flag.ts");
  return await modelWithProjector(model, flags);
}

async function readStandardInput(): Promise<string> {
  process.stdin.setEncoding("utf8");
  let text = "";
  for await (const piece of process.stdin) text += piece;
  return text.replace(/\n$/, "");
}

function checkDimensions({ dimensions }: Flags): void {
  if (dimensions === undefined || /^[1-9]\d{0,5}$/.test(dimensions)) return;
  throw usageError(`--dimensions ${dimensions} is no number of dimensions.`, "Use 256 or so.");
}

function checkKeepAlive({ keepalive }: Flags): void {
  if (keepalive === undefined || parseDuration(keepalive) !== undefined) return;
  throw usageError(`--keepalive ${keepalive} is no duration.`, "Use 10m, 300 (seconds), or -1.");
}

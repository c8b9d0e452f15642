// One question, one answer: streams the answer to standard output and everything else to standard
// error.
import { exitCodes } from "../base/product-error.ts";
import { endingSentences } from "../client/answer-ending.ts";
import type { AnswerStatistics } from "../client/chat-events.ts";
import { answerOptions } from "./answer-flags.ts";
import type { Flags } from "./flags.ts";
import { attachmentLines, attachToWords, countImages } from "./image-prompt.ts";
import { Progress } from "./progress.ts";
import type { ServerLink } from "./server-link.ts";
import { formatStatistics } from "./statistics-text.ts";
import { ThinkingText } from "./thinking-text.ts";

type AnswerLink = Pick<ServerLink, "client" | "ask" | "close">;

export interface OneShot {
  model: string;
  /** Empty only loads the model. Images that it speaks of are sent along. */
  prompt: string;
  /** Text in front of it, as it is. */
  piped?: string;
  flags: Flags;
  /** Aborting the signal gives up while a server is being started. */
  link: (signal: AbortSignal) => Promise<AnswerLink>;
  /** Called when the model is being loaded. */
  onLoading?: () => void;
}

export async function printAnswer(question: OneShot): Promise<number> {
  const abort = new AbortController();
  const interrupt = () => abort.abort();
  process.once("SIGINT", interrupt);
  const progress = new Progress(process.stderr);
  let isLineOpen = false;
  const print = (text: string) => {
    process.stdout.write(text);
    if (text !== "") isLineOpen = !text.endsWith("\n");
  };
  try {
    const statistics = await ask(question, abort.signal, progress, print);
    progress.clear();
    if (wholePrompt(question) !== "") process.stdout.write(process.stdout.isTTY ? "\n\n" : "\n");
    if (question.flags.verbose && statistics !== undefined) {
      process.stderr.write(formatStatistics(statistics));
    }
    for (const sentence of statistics === undefined ? [] : endingSentences(statistics)) {
      process.stderr.write(`${sentence}\n`);
    }
    return statistics?.finishReason === "cancelled" ? exitCodes.interrupted : exitCodes.ok;
  } catch (error) {
    progress.clear();
    // A part of an answer is a line of its own, and so is the ^C that a terminal shows.
    const isInterrupted = abort.signal.aborted;
    if (isLineOpen || (isInterrupted && process.stdout.isTTY)) process.stdout.write("\n");
    if (!isInterrupted) throw error;
    return exitCodes.interrupted;
  } finally {
    process.off("SIGINT", interrupt);
  }
}

async function ask(
  question: OneShot,
  signal: AbortSignal,
  progress: Progress,
  print: (text: string) => void,
): Promise<AnswerStatistics | undefined> {
  const { model, flags, onLoading } = question;
  const thinking = new ThinkingText(flags.hidethinking === true);
  const answer = answerOptions(flags);
  const link = await openUnlessAborted(question, signal);
  try {
    const attached = await unlessAborted(
      attachToWords(link.client, model, question.prompt),
      signal,
    );
    const prompt = wholePrompt({ ...question, prompt: attached.text });
    const options = {
      model,
      signal,
      ...answer,
      ...(flags.system !== undefined && { system: flags.system }),
      images: attached.images.map(({ base64 }) => base64),
    };
    // Counted while the model is loading for the answer.
    const counted = countImages(link.client, model, attached.images, signal);
    let isTold = false;
    const tellOnce = async () => {
      progress.clear();
      if (isTold) return;
      isTold = true;
      process.stderr.write(attachmentLines({ ...attached, images: await counted }));
    };
    for await (const event of link.ask(signal, (client) => client.generate(prompt, options))) {
      if (event.type === "text") {
        await tellOnce();
        thinking.end();
        print(event.text);
      } else if (event.type === "thinking") {
        await tellOnce();
        thinking.push(event.text);
      } else if (event.type === "done") {
        await tellOnce();
        return event.statistics;
      } else if (event.type === "tool-call") {
        await tellOnce();
        thinking.end();
        print(`${event.name}(${JSON.stringify(event.arguments)})\n`);
      } else {
        if (event.type === "loading") onLoading?.();
        progress.show(event, model);
      }
    }
    return undefined;
  } finally {
    thinking.end();
    await link.close();
  }
}

/** What is piped in stands in front of the words, a blank between them. */
export function wholePrompt({ prompt, piped = "" }: Pick<OneShot, "prompt" | "piped">): string {
  return [piped, prompt].filter((text) => text !== "").join(" ");
}

/** Ctrl+C must not wait for a server that is still starting; one of this process then ends with it. */
async function openUnlessAborted(question: OneShot, signal: AbortSignal): Promise<AnswerLink> {
  const opening = question.link(signal);
  try {
    return await unlessAborted(opening, signal);
  } catch (error) {
    if (signal.aborted) void opening.then((link) => link.close()).catch(() => {}); // nobody asks now
    throw error;
  }
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  return await Promise.race([promise, aborted]);
}

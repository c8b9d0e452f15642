// One-shot answers of `run`: text, JSON or a vector on standard output, everything else on standard error.
import { exitCodes } from "../base/product-error.ts";
import { unlessAborted } from "../base/unless-aborted.ts";
import { answerWithTools } from "../chat/conversation/answer-with-tools.ts";
import { TurnSteps } from "../chat/conversation/turn-steps.ts";
import { type AskOptions, ServerRefusal } from "../client/api-client.ts";
import { imageTokens, seesImages } from "../client/chat-calls.ts";
import type { AnswerStatistics, ChatEvent, ClientMessage } from "../client/chat-events.ts";
import { embedText, onlyEmbeds } from "../client/model-calls.ts";
import { answerOptions } from "./answer-flags.ts";
import { endingSentences, formatStatistics, Progress, ThinkingText } from "./answer-output.ts";
import { foldedResult } from "./ask-about-call.ts";
import type { CommandTools } from "./chat-tools.ts";
import type { Flags } from "./flags.ts";
import { attachmentLines, attachToWords, countImages } from "./image-prompt.ts";
import { interruptible } from "./interruptible.ts";
import { printDocument } from "./output.ts";
import type { ServerLink } from "./server-link.ts";
import { WordWrap } from "./text-width.ts";

type AnswerLink = Pick<ServerLink, "client" | "ask" | "close">;

export interface OneShot {
  model: string;
  /** May name images. An empty one only loads the model. */
  prompt: string;
  /** Text before the prompt. */
  piped?: string;
  flags: Flags;
  /** Aborting the signal gives up while a server is being started. */
  link: (signal: AbortSignal) => Promise<AnswerLink>;
  /** Tools that the model may call; calls that --allow does not name end the answer. */
  tools?: CommandTools | undefined;
  /** Called when the model is being loaded. */
  onLoading?: () => void;
}

/** Includes the flags for embedding models. */
type VectorQuestion = OneShot & { flags: { dimensions?: number; truncate?: boolean } };

type Consumer = (
  events: AsyncIterable<ChatEvent>,
  progress: Progress,
  signal: AbortSignal,
) => Promise<AnswerStatistics | undefined>;

/** The server's error for a model that cannot generate text. */
const cannotCode = "ENGINE_CAPABILITY_MISSING";

/** Prints the text as it arrives, wrapped at words on a terminal. */
export async function printAnswer(question: OneShot): Promise<number> {
  const { flags, model } = question;
  const { isTTY, columns } = process.stdout;
  const wrap = new WordWrap(isTTY && !flags.nowordwrap ? columns : Infinity);
  const thinking = new ThinkingText(flags.hidethinking === true);
  let isLineOpen = false;
  const print = (text: string) => {
    process.stdout.write(text);
    if (text !== "") isLineOpen = !text.endsWith("\n");
  };
  const finish = () => {
    print(wrap.end());
    thinking.end();
  };
  return await whileAnswering(question, async (events, progress, signal) => {
    let statistics: AnswerStatistics | undefined;
    try {
      for await (const event of events) {
        if (event.type === "thinking") thinking.push(event.text);
        else if (event.type === "done") statistics = event.statistics;
        else if (event.type === "text" || event.type === "tool-call") {
          thinking.end();
          if (event.type === "text") print(wrap.push(event.text));
          else if (question.tools === undefined) print(wrap.push(callText(event)));
          else process.stderr.write(callText(event));
        } else if (event.type === "tool-result") process.stderr.write(foldedResult(event.text));
        else progress.show(event, model);
      }
    } catch (error) {
      finish();
      progress.clear();
      // Ends the line of a partial answer, or of ^C on a terminal.
      if (isLineOpen || (isTTY && signal.aborted)) process.stdout.write("\n");
      throw error;
    }
    finish();
    progress.clear();
    if (wholePrompt(question) !== "") process.stdout.write(isTTY ? "\n\n" : "\n");
    if (flags.verbose && statistics !== undefined)
      process.stderr.write(formatStatistics(statistics));
    for (const sentence of statistics === undefined ? [] : endingSentences(statistics)) {
      process.stderr.write(`${sentence}\n`);
    }
    return statistics;
  });
}

/**
 * Prints the answer as one JSON document, or with --stream each event on a line. Prints no document if
 * the answer fails.
 */
export async function printJsonAnswer(question: OneShot, isStream: boolean): Promise<number> {
  return await whileAnswering(question, async (events, progress) => {
    let thinking = "";
    const turns = new TurnSteps();
    let statistics: AnswerStatistics | undefined;
    for await (const event of events) {
      if (isStream) process.stdout.write(`${JSON.stringify(event)}\n`);
      if (event.type === "text" || event.type === "tool-call" || event.type === "tool-result") {
        turns.receive(event);
      } else if (event.type === "thinking") thinking += event.text;
      else if (event.type === "done") statistics = event.statistics;
      else if (!isStream) progress.show(event, question.model);
    }
    if (isStream) return statistics;
    const { text, toolCalls, steps } = turns.parts;
    const document = {
      model: question.model,
      text,
      ...(thinking !== "" && { thinking }),
      ...(toolCalls !== undefined && { toolCalls }),
      ...(steps !== undefined && { steps }),
      ...statistics,
    };
    printDocument(document);
    return statistics;
  });
}

/**
 * Prints a text answer, or the prompt's vector for an embedding model.
 * @throws errors of `answer` for any other model
 */
export async function answerOrPrintVector(
  question: VectorQuestion,
  answer: () => Promise<number>,
): Promise<number> {
  const { model, flags, link: openLink } = question;
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof ServerRefusal) || error.code !== cannotCode) throw error;
    const request = {
      model,
      text: wholePrompt(question),
      keepAlive: flags.keepalive,
      dimensions: flags.dimensions,
      truncate: flags.truncate,
      options: answerOptions(flags).parameters,
    };
    return await interruptible(async (signal) => {
      const link = await openLink(signal);
      try {
        if (!(await onlyEmbeds(link.client, model))) throw error;
        const vector = await embedText(link.client, request, signal);
        process.stdout.write(`${JSON.stringify(vector)}\n`);
        return exitCodes.ok;
      } finally {
        await link.close();
      }
    });
  }
}

/** Asks, passes the events to `consume`, and returns the exit code. */
async function whileAnswering(question: OneShot, consume: Consumer): Promise<number> {
  const progress = new Progress(process.stderr);
  try {
    const statistics = await interruptible((signal) =>
      consume(answerEvents(question, signal, progress), progress, signal),
    );
    return statistics?.finishReason === "cancelled" ? exitCodes.interrupted : exitCodes.ok;
  } finally {
    progress.clear();
  }
}

async function* answerEvents(
  question: OneShot,
  signal: AbortSignal,
  progress: Progress,
): AsyncGenerator<ChatEvent> {
  const { model, flags, onLoading } = question;
  const answer = answerOptions(flags);
  const link = await openUnlessAborted(question, signal);
  try {
    await question.tools?.checkModel(link.client, model);
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
    const counted = countImages(attached.images, (base64) =>
      imageTokens(link.client, { model, parameters: {} }, base64, signal),
    );
    let isAnswering = false;
    const events =
      question.tools === undefined
        ? link.ask(signal, (client) => client.generate(prompt, options))
        : withTools(question.tools, link, { prompt, typed: question.prompt }, options);
    for await (const event of events) {
      if (event.type === "loading") onLoading?.();
      if (!isAnswering && isAnswer(event)) {
        isAnswering = true;
        progress.clear();
        process.stderr.write(attachmentLines({ ...attached, images: await counted }));
      }
      yield event;
    }
  } finally {
    await link.close();
  }
}

/** Asks by a conversation: a prompt alone has no results of tools. */
function withTools(
  { toolbox, maxCalls }: CommandTools,
  link: AnswerLink,
  { prompt, typed }: { prompt: string; typed: string },
  {
    system,
    images,
    ...options
  }: AskOptions & {
    signal: AbortSignal;
    system?: string;
    images: readonly string[];
  },
): AsyncIterable<ChatEvent> {
  const { signal } = options;
  const question: ClientMessage = { role: "user", content: prompt, typed, images };
  const messages: readonly ClientMessage[] =
    system === undefined ? [question] : [{ role: "system", content: system }, question];
  return answerWithTools({
    messages,
    tools: toolbox,
    maxCalls,
    signal,
    sees: () => seesImages(link.client, options.model),
    turn: (all, tools) => link.ask(signal, (client) => client.chat(all, { ...options, tools })),
  });
}

/** False for progress before the answer. */
function isAnswer({ type }: ChatEvent): boolean {
  return type === "text" || type === "thinking" || type === "tool-call" || type === "done";
}

function callText({ name, arguments: args }: Extract<ChatEvent, { type: "tool-call" }>): string {
  return `${name}(${JSON.stringify(args)})\n`;
}

function wholePrompt({ prompt, piped = "" }: Pick<OneShot, "prompt" | "piped">): string {
  return [piped, prompt].filter((text) => text !== "").join(" ");
}

/**
 * Opens the link; Ctrl+C does not wait for a server that is still starting.
 */
async function openUnlessAborted(question: OneShot, signal: AbortSignal): Promise<AnswerLink> {
  const opening = question.link(signal);
  try {
    return await unlessAborted(opening, signal);
  } catch (error) {
    if (signal.aborted) void opening.then((link) => link.close()).catch(() => {}); // no request is pending
    throw error;
  }
}

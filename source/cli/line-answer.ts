// Answers a prompt of the line chat: attaches its images, streams the answer, keeps both.

import { toOneLine } from "../base/display-text.ts";
import type { ChatDocument } from "../chat/chat-actions.ts";
import type { ChatBackend, ChatTools } from "../chat/chat-backend.ts";
import { stateAfter } from "../chat/conversation/answer-end.ts";
import {
  type AttachedMessage,
  attachToMessage,
  namesAttachments,
} from "../chat/conversation/attach-prompt.ts";
import {
  type AnswerState,
  conversationOf,
  type EntryImage,
  lastQuestion,
  nextEntryId,
  type TranscriptEntry,
  type UserEntry,
} from "../chat/conversation/transcript-entry.ts";
import { TurnSteps } from "../chat/conversation/turn-steps.ts";
import { missingFile } from "../client/attachments/read-image-file.ts";
import { withTexts } from "../client/attachments/text-files.ts";
import type { AnswerStatistics } from "../client/chat-events.ts";
import { endingSentences, Progress, ThinkingText } from "./answer-output.ts";
import { foldedResult } from "./ask-about-call.ts";
import { attachmentLines, cannotSee, countImages } from "./image-prompt.ts";

export interface LineAnswerOptions {
  readonly backend: ChatBackend;
  readonly hidesThinking: boolean;
  readonly read: () => ChatDocument;
  readonly change: (entries: readonly TranscriptEntry[]) => void;
  readonly folder: string;
  /** Calls that are run here are no part of the output. */
  readonly tools: ChatTools | undefined;
}

export class LineAnswer {
  readonly #options: LineAnswerOptions;
  /** Images attached without a question. */
  #waiting: readonly EntryImage[] = [];

  constructor(options: LineAnswerOptions) {
    this.#options = options;
  }

  /**
   * @returns statistics of the answer; undefined if only images were attached
   * @throws errors before or during the answer; a partial answer is kept
   */
  async ask(
    text: string,
    typed: string,
    signal: AbortSignal,
  ): Promise<AnswerStatistics | undefined> {
    const attached = await this.#attach(text);
    const images = [...this.#waiting, ...attached.images];
    if (attached.text === "" && images.length > 0) {
      this.#waiting = await this.#counted(images, signal);
      const added = this.#waiting.slice(images.length - attached.images.length);
      process.stderr.write(attachmentLines({ images: added, missing: attached.missing }));
      process.stderr.write("Write your message.\n");
      return undefined;
    }
    const { entries } = this.#options.read();
    const { files, missing, missingTexts } = attached;
    const sent = withTexts(attached.text, files);
    const question: UserEntry = {
      kind: "user",
      id: nextEntryId(entries),
      text: sent,
      ...(sent !== typed && { typed }),
      ...(images.length > 0 && { images }),
      ...(files.length > 0 && { files: files.map(({ name }) => ({ name })) }),
      atMs: Date.now(),
    };
    process.stderr.write(files.map(({ name }) => `attached ${toOneLine(name)}\n`).join(""));
    process.stderr.write(
      attachmentLines({ ...attached, missing: [...missing, ...missingTexts], images: [] }),
    );
    const statistics = await this.#answer(entries, question, signal, attached.images);
    this.#waiting = [];
    return statistics;
  }

  /** Replaces the last answer. */
  async askAgain(signal: AbortSignal): Promise<AnswerStatistics | undefined> {
    const { entries } = this.#options.read();
    const last = lastQuestion(entries);
    if (last === undefined) throw new Error("Nothing to regenerate.");
    return await this.#answer(last.before, last.question, signal);
  }

  async #attach(text: string): Promise<AttachedMessage> {
    const { backend } = this.#options;
    if (!namesAttachments(text)) {
      return { text, images: [], files: [], missing: [], missingTexts: [], canSee: true };
    }
    const attached = await attachToMessage(text, this.#options);
    const { images, canSee } = attached;
    if (images.length > 0 && !canSee) throw cannotSee(backend.facts.name, images);
    const [missing] = attached.missing;
    if (missing !== undefined && canSee) throw missingFile(missing);
    return attached;
  }

  async #counted(images: readonly EntryImage[], signal: AbortSignal): Promise<EntryImage[]> {
    const { backend, read } = this.#options;
    return await countImages(images, (base64) =>
      backend.imageTokens(base64, read().settings, signal),
    );
  }

  async #answer(
    before: readonly TranscriptEntry[],
    asked: UserEntry,
    signal: AbortSignal,
    added: readonly EntryImage[] = [],
  ): Promise<AnswerStatistics | undefined> {
    const { backend, read, change } = this.#options;
    const progress = new Progress(process.stderr);
    let question = asked;
    // Counts while the model is loading.
    const counting = this.#counted(asked.images ?? [], signal);
    let isTold = false;
    const tellOnce = async (): Promise<void> => {
      progress.clear();
      if (isTold) return;
      isTold = true;
      const images = await counting;
      if (images.length > 0) question = { ...asked, images };
      const shown = images.slice(images.length - added.length);
      process.stderr.write(attachmentLines({ images: shown, missing: [] }));
    };
    const thinking = new ThinkingText(this.#options.hidesThinking);
    let thought = "";
    const turns = new TurnSteps();
    const calls = this.#options.tools === undefined ? process.stdout : process.stderr;
    let statistics: AnswerStatistics | undefined;
    const keep = (state: AnswerState): void => {
      if (!turns.hasContent && state !== "complete") return;
      process.stdout.write("\n");
      const id = asked.id + 1;
      const answer = { kind: "assistant", id, ...turns.parts, state, atMs: Date.now() } as const;
      change([...before, question, { ...answer, ...(thought !== "" && { thinking: thought }) }]);
    };
    try {
      for await (const event of backend.chat(
        conversationOf([...before, asked]),
        read().settings,
        signal,
      )) {
        if (event.type === "text") {
          await tellOnce();
          thinking.end();
          turns.receive(event);
          process.stdout.write(event.text);
        } else if (event.type === "thinking") {
          await tellOnce();
          thought += event.text;
          thinking.push(event.text);
        } else if (event.type === "tool-call") {
          await tellOnce();
          thinking.end();
          turns.receive(event);
          calls.write(`${toOneLine(event.name)}(${JSON.stringify(event.arguments)})\n`);
        } else if (event.type === "tool-result") {
          turns.receive(event);
          process.stderr.write(foldedResult(event.text));
        } else if (event.type === "done") statistics = event.statistics;
        else progress.show(event, backend.facts.name);
      }
      await tellOnce();
      thinking.end();
      keep(statistics === undefined ? "complete" : stateAfter(statistics));
      for (const sentence of statistics === undefined ? [] : endingSentences(statistics)) {
        process.stderr.write(`${sentence}\n`);
      }
      return statistics;
    } catch (error) {
      progress.clear();
      thinking.end();
      keep(signal.aborted ? "stopped" : "failed");
      throw error;
    }
  }
}

// Line chat, for terminals without the full screen and for pipes.
import { createInterface, type Interface } from "node:readline/promises";
import { toOneLine } from "../base/display-text.ts";
import { describeError, exitCodes, ProductError } from "../base/product-error.ts";
import type { ChatActions } from "../chat/chat-actions.ts";
import { runCommand } from "../chat/commands/command.ts";
import { type ParsedLine, parseLine } from "../chat/commands/parse-line.ts";
import { quitNotice } from "../chat/commands/slash-commands.ts";
import { askPrompt } from "../chat/conversation/ask-prompt.ts";
import type { PromptHistory } from "../chat/prompt-history.ts";
import type { AnswerStatistics } from "../client/chat-events.ts";
import { toolErrors } from "../tools/errors.ts";
import type { ServerSwitch } from "../tools/tool-set.ts";
import { formatStatistics } from "./answer-output.ts";
import { askAboutCall } from "./ask-about-call.ts";
import type { CommandTools } from "./chat-tools.ts";
import { completeLine } from "./complete-line.ts";
import type { LineAnswer } from "./line-answer.ts";
import { lineCommandContext, lineHelp } from "./line-commands.ts";
import { lineQuestions } from "./line-questions.ts";

/** A second Ctrl+C within this time quits, unless text was typed in between. */
const interruptWindowMs = 2000;

export interface LineChatOptions {
  readonly actions: ChatActions;
  readonly answer: LineAnswer;
  readonly history: PromptHistory;
  readonly tools: CommandTools | undefined;
}

export class LineChat {
  readonly #options: LineChatOptions;
  readonly #isTerminal = Boolean(process.stdin.isTTY);
  #lines: Interface | undefined;
  #isLeaving = false;
  #exitCode: number = exitCodes.ok;
  #abort: AbortController | undefined;
  #interruptedAtMs = -Infinity;
  /** Lines after an opening triple quote. */
  #open = "";
  /** Put into the next line, to be changed and sent. */
  #proposal = "";

  constructor(options: LineChatOptions) {
    this.#options = options;
    const { tools, actions } = options;
    if (tools === undefined || !this.#isTerminal) return;
    tools.ask = (question, signal) =>
      askAboutCall(question, actions.folder, (text, proposal) =>
        this.#askLine(text, signal, proposal),
      );
  }

  /** Reads lines until the end of input or /bye. */
  async run(): Promise<number> {
    const { actions, history, tools } = this.#options;
    const lines = createInterface({
      input: process.stdin,
      // Prompts and echoes are only for terminals.
      ...(this.#isTerminal && { output: process.stderr }),
      terminal: this.#isTerminal,
      history: history.entries.filter((entry) => !entry.includes("\n")).toReversed(),
      completer: (line: string) => completeLine(line, { tools, folder: actions.folder }),
    });
    this.#lines = lines;
    lines.on("SIGINT", () => this.#interrupt(lines));
    lines.setPrompt(">>> ");
    if (this.#isTerminal) lines.prompt();
    for await (const line of lines) {
      const typed = this.#open === "" ? line : `${this.#open}\n${line}`;
      const parsed = parseLine(typed);
      const isOpen = parsed.kind === "open";
      this.#open = isOpen ? typed : "";
      lines.setPrompt(isOpen ? "... " : ">>> ");
      const isDone = isOpen || (await this.#handle(parsed, typed));
      if (this.#isLeaving) break;
      if (!this.#isTerminal) continue;
      // The cursor stays behind what was typed meanwhile.
      lines.prompt(true);
      // Restores a message that could not be sent, so that it can be corrected.
      if (!isDone && !typed.includes("\n")) lines.write(typed);
      lines.write(this.#proposal);
      this.#proposal = "";
    }
    lines.close();
    return this.#exitCode;
  }

  /** @returns false for a line that could not be sent */
  async #handle(parsed: Exclude<ParsedLine, { kind: "open" }>, typed: string): Promise<boolean> {
    switch (parsed.kind) {
      case "blank":
        return true;
      case "unknown":
        process.stderr.write(`${parsed.sentence}\n`);
        return true;
      case "command": {
        await this.#keep(typed);
        const ending = runCommand(parsed.command, this.#context(), parsed.argument);
        const problem = await ending.catch(describeError);
        if (problem !== undefined) process.stderr.write(`${problem}\n`);
        return problem === undefined;
      }
      case "message":
        await this.#keep(typed);
        return await this.#answer(parsed.text, typed);
    }
  }

  /** Answers a message, and reports errors; a stopped answer stays in the conversation. */
  async #answer(text: string, typed: string): Promise<boolean> {
    const { actions, answer } = this.#options;
    this.#abort = new AbortController();
    try {
      const statistics = await answer.ask(text, typed, this.#abort.signal);
      this.#tell(statistics);
      return true;
    } catch (error) {
      if (!this.#abort.signal.aborted) process.stderr.write(`Error: ${describeError(error)}\n`);
      if (error instanceof ProductError && error.code === toolErrors.callRefused.code) {
        this.#exitCode = error.exitCode;
        this.#isLeaving = true;
      }
      return this.#abort.signal.aborted;
    } finally {
      this.#abort = undefined;
      actions.record();
    }
  }

  #tell(statistics: AnswerStatistics | undefined): void {
    if (statistics === undefined || !this.#options.actions.settings.isVerbose) return;
    process.stderr.write(`\n${formatStatistics(statistics)}`);
  }

  #context() {
    const { actions, answer } = this.#options;
    return lineCommandContext({
      actions,
      leave: (): undefined => {
        this.#isLeaving = true;
      },
      openHelp: (topic): undefined => {
        process.stderr.write(lineHelp(topic));
      },
      confirm: (question) => this.#confirm(question),
      chooseTools: async () => ({ printed: toolsText(await this.#startedSwitches()) }),
      choosePrompt: async () => await this.#choosePrompt(),
      regenerate: async () => {
        this.#abort = new AbortController();
        try {
          this.#tell(await answer.askAgain(this.#abort.signal));
          return undefined;
        } finally {
          this.#abort = undefined;
          actions.record();
        }
      },
    });
  }

  /** Writes a prompt of a tool server into the next line. */
  async #choosePrompt(): Promise<string | undefined> {
    const { tools } = this.#options;
    if (!this.#isTerminal) return "Prompts need a terminal.";
    if (tools === undefined) return noTools;
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    try {
      const questions = lineQuestions((question) => this.#askLine(question, signal));
      const text = await askPrompt(tools, questions);
      if (text === "") return "The tool servers that are on have no prompts.";
      if (text !== undefined) this.#proposal = asOneMessage(text);
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    } finally {
      this.#abort = undefined;
    }
  }

  async #startedSwitches(): Promise<readonly ServerSwitch[]> {
    const { set } = this.#options.tools ?? {};
    await set?.start();
    return (set?.switches ?? []).filter(({ isOn }) => isOn);
  }

  async #keep(typed: string): Promise<void> {
    const { actions, history } = this.#options;
    if (!this.#isTerminal || actions.settings.keepsHistory === false) return;
    await history.file?.append(typed).catch((error: unknown) => {
      process.stderr.write(`Cannot save the prompt history: ${describeError(error)}\n`);
    });
  }

  /** Asks a yes-or-no question; false without a terminal, and at the end of input. */
  async #confirm(question: string): Promise<boolean> {
    const lines = this.#lines;
    if (!this.#isTerminal || lines === undefined) return false;
    const closed = new AbortController();
    lines.once("close", () => closed.abort());
    try {
      const answer = await lines.question(`${question} [y/N] `, { signal: closed.signal });
      return /^y(es)?$/i.test(answer.trim());
    } catch (error) {
      if (!closed.signal.aborted) throw error;
      this.#isLeaving = true;
      return false;
    }
  }

  /** Ends with the answer. @param proposal text in the line, to be changed */
  async #askLine(question: string, signal: AbortSignal, proposal = ""): Promise<string> {
    const lines = this.#lines;
    if (lines === undefined) throw new Error("The chat has not begun.");
    const closed = new AbortController();
    lines.once("close", () => closed.abort());
    const typed = lines.question(question, { signal: AbortSignal.any([signal, closed.signal]) });
    lines.write(proposal);
    return await typed;
  }

  #interrupt(lines: Interface): void {
    if (this.#abort !== undefined) {
      this.#abort.abort();
      return;
    }
    const nowMs = performance.now();
    const hasText = lines.line !== "" || this.#open !== "";
    const isSecond = !hasText && nowMs - this.#interruptedAtMs <= interruptWindowMs;
    this.#interruptedAtMs = nowMs;
    if (isSecond) {
      this.#isLeaving = true;
      this.#exitCode = exitCodes.interrupted;
      lines.close();
      return;
    }
    // Drops the line, and earlier ones of the same message.
    this.#open = "";
    lines.setPrompt(">>> ");
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
    process.stderr.write(`\n${quitNotice}\n`);
    lines.prompt();
  }
}

/** Holds several lines together with three quotes, so that each is not sent alone. */
function asOneMessage(text: string): string {
  return text.includes("\n") ? `"""${text.replaceAll('"""', "'''")}"""` : text;
}

const noTools = "No tools: start with --tools NAME, such as --tools files.";

/** Returns the servers that are on, and their tools. */
function toolsText(servers: readonly ServerSwitch[]): string {
  if (servers.length === 0) return noTools;
  return servers
    .flatMap(({ name, problem, tools }) => [
      problem === undefined ? `${name}:` : `${name}: ${problem}`,
      ...tools.map(({ tool }) => `  ${toOneLine(`${tool.name}  ${tool.description}`)}`),
    ])
    .join("\n");
}

// The chat as a plain line loop, for where there is no full screen.
import { createInterface } from "node:readline/promises";
import { describeError, exitCodes } from "../base/product-error.ts";
import type { ClientMessage } from "../client/chat-events.ts";
import type { ChatSettings } from "../ui/chat-backend.ts";
import { parseLine } from "../ui/commands/command-table.ts";
import { helpRows } from "../ui/view/help-rows.ts";
import type { Flags } from "./flags.ts";
import { createHttpBackend } from "./http-backend.ts";
import { lineCommandContext } from "./line-commands.ts";
import { Progress } from "./progress.ts";
import { ServerLink } from "./server-link.ts";
import type { CommandSettings } from "./session-settings.ts";
import { formatStatistics } from "./statistics-text.ts";
import { ThinkingText } from "./thinking-text.ts";

const helpWidth = 78;

export async function chatInLines(
  model: string,
  flags: Flags,
  settings: CommandSettings,
): Promise<number> {
  const link = await ServerLink.open(flags, settings, "hosted", model);
  try {
    const backend = await createHttpBackend(link, model, flags);
    return await new LineChat(backend, flags).run();
  } finally {
    await link.close();
  }
}

class LineChat {
  readonly #backend: Awaited<ReturnType<typeof createHttpBackend>>;
  readonly #flags: Flags;
  readonly #isTerminal = Boolean(process.stdin.isTTY);
  #messages: ClientMessage[] = [];
  #settings: ChatSettings;
  #isLeaving = false;
  #exitCode: number = exitCodes.ok;
  #abort: AbortController | undefined;

  constructor(backend: Awaited<ReturnType<typeof createHttpBackend>>, flags: Flags) {
    this.#backend = backend;
    this.#flags = flags;
    this.#settings = { system: flags.system, parameters: {} };
  }

  /** Reads lines until the end of input or /bye. */
  async run(): Promise<number> {
    const lines = createInterface({
      input: process.stdin,
      // Prompts and echoes belong on a terminal; in a pipe the answers stand alone.
      ...(this.#isTerminal && { output: process.stderr }),
      terminal: this.#isTerminal,
    });
    lines.on("SIGINT", () => this.#interrupt(lines.close.bind(lines)));
    lines.setPrompt(">>> ");
    if (this.#isTerminal) lines.prompt();
    let open = "";
    for await (const line of lines) {
      const typed = open === "" ? line : `${open}\n${line}`;
      const parsed = parseLine(typed);
      if (parsed.kind === "open") {
        open = typed;
        lines.setPrompt("... ");
      } else {
        open = "";
        lines.setPrompt(">>> ");
        await this.#handle(parsed);
      }
      if (this.#isLeaving) break;
      if (this.#isTerminal) lines.prompt();
    }
    lines.close();
    return this.#exitCode;
  }

  async #handle(parsed: Exclude<ReturnType<typeof parseLine>, { kind: "open" }>): Promise<void> {
    switch (parsed.kind) {
      case "blank":
        return;
      case "unknown":
        process.stderr.write(`${parsed.sentence}\n`);
        return;
      case "command": {
        const problem = parsed.command.run(this.#commandContext(), parsed.argument);
        if (problem !== undefined) process.stderr.write(`${problem}\n`);
        return;
      }
      case "message":
        await this.#answer(parsed.text);
    }
  }

  /** A failed request is told and the loop goes on; a stopped answer stays in the conversation. */
  async #answer(text: string): Promise<void> {
    const asked: ClientMessage[] = [...this.#messages, { role: "user", content: text }];
    const progress = new Progress(process.stderr);
    this.#abort = new AbortController();
    const thinking = new ThinkingText(this.#flags.hidethinking === true);
    let answer = "";
    try {
      for await (const event of this.#backend.chat(asked, this.#settings, this.#abort.signal)) {
        if (event.type === "text") {
          progress.clear();
          thinking.end();
          answer += event.text;
          process.stdout.write(event.text);
        } else if (event.type === "thinking") {
          progress.clear();
          thinking.push(event.text);
        } else if (event.type !== "done") {
          progress.show(event, this.#backend.facts.name);
        } else if (this.#flags.verbose) {
          process.stderr.write(`\n${formatStatistics(event.statistics)}`);
        }
      }
    } catch (error) {
      progress.clear();
      if (!this.#abort.signal.aborted) process.stderr.write(`Error: ${describeError(error)}\n`);
      if (answer === "") return;
    } finally {
      thinking.end();
      this.#abort = undefined;
    }
    process.stdout.write("\n");
    this.#messages = [...asked, { role: "assistant", content: answer }];
  }

  #commandContext() {
    return lineCommandContext({
      settings: this.#settings,
      changeSettings: (settings) => {
        this.#settings = settings;
      },
      clear: () => {
        this.#messages = [];
      },
      leave: () => {
        this.#isLeaving = true;
      },
      help: () => {
        const rows = helpRows(helpWidth).filter((row) => /\/|^\S/.test(row.text));
        process.stderr.write(`${rows.map((row) => row.text).join("\n")}\n`);
      },
    });
  }

  #interrupt(close: () => void): void {
    if (this.#abort !== undefined) {
      this.#abort.abort();
      return;
    }
    this.#isLeaving = true;
    this.#exitCode = exitCodes.interrupted;
    close();
  }
}

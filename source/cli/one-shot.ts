// One question, one answer: streams the answer to standard output and everything else to standard
// error.
import { exitCodes, ProductError } from "../base/product-error.ts";
import { clientErrors } from "../client/errors.ts";
import type { AnswerStatistics } from "../client/chat-events.ts";
import type { Connection } from "./connect.ts";
import type { Flags } from "./modelctl.ts";
import { Progress } from "./progress.ts";
import { formatStatistics } from "./statistics-text.ts";

export interface OneShot {
  model: string;
  /** Empty only loads the model. */
  prompt: string;
  flags: Flags;
  connect: () => Promise<Connection>;
}

export async function printAnswer(question: OneShot): Promise<number> {
  const abort = new AbortController();
  const interrupt = () => abort.abort();
  process.once("SIGINT", interrupt);
  const progress = new Progress(process.stderr);
  try {
    const statistics = await askWithRetry(question, abort.signal, progress);
    progress.clear();
    if (question.prompt !== "") process.stdout.write(process.stdout.isTTY ? "\n\n" : "\n");
    if (question.flags.verbose && statistics !== undefined) {
      process.stderr.write(formatStatistics(statistics));
    }
    return exitCodes.ok;
  } catch (error) {
    progress.clear();
    if (!abort.signal.aborted) throw error;
    process.stdout.write("\n");
    return exitCodes.interrupted;
  } finally {
    process.off("SIGINT", interrupt);
  }
}

/** A server that vanishes before the first token is started again, and asked again, once. */
async function askWithRetry(
  question: OneShot,
  signal: AbortSignal,
  progress: Progress,
): Promise<AnswerStatistics | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    let hasText = false;
    try {
      return await ask(question, signal, progress, () => {
        hasText = true;
      });
    } catch (error) {
      const isGone =
        error instanceof ProductError &&
        [clientErrors.unreachable.code, clientErrors.vanished.code].some((c) => c === error.code);
      if (!isGone || hasText || attempt === 2 || signal.aborted) throw error;
    }
  }
}

async function ask(
  { model, prompt, flags, connect }: OneShot,
  signal: AbortSignal,
  progress: Progress,
  onText: () => void,
): Promise<AnswerStatistics | undefined> {
  const { client, hosted } = await connect();
  try {
    const events = client.generate(prompt, {
      model,
      signal,
      ...(flags.keepalive !== undefined && { keepAlive: flags.keepalive }),
      ...(flags.system !== undefined && { system: flags.system }),
    });
    for await (const event of events) {
      if (event.type === "text") {
        progress.clear();
        onText();
        process.stdout.write(event.text);
      } else if (event.type === "done") {
        return event.statistics;
      } else {
        progress.show(event, model);
      }
    }
    return undefined;
  } finally {
    await hosted?.close();
  }
}

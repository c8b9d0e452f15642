// The answer of an embedding model: one JSON array on a line.
import { exitCodes } from "../base/product-error.ts";
import { ServerRefusal } from "../client/api-client.ts";
import { embedText, onlyEmbeds } from "../client/model-calls.ts";
import { type OneShot, wholePrompt } from "./one-shot.ts";

/** Includes the flags that apply to embedding models only. */
type VectorQuestion = OneShot & { flags: { dimensions?: number; truncate?: boolean } };

/** The server's error for a model that cannot generate text. */
const cannotCode = "ENGINE_CAPABILITY_MISSING";

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
    const abort = new AbortController();
    const link = await openLink(abort.signal);
    const interrupt = () => abort.abort();
    process.once("SIGINT", interrupt);
    try {
      if (!(await onlyEmbeds(link.client, model))) throw error;
      const request = {
        model,
        text: wholePrompt(question),
        keepAlive: flags.keepalive,
        dimensions: flags.dimensions,
        truncate: flags.truncate,
      };
      const vector = await embedText(link.client, request, abort.signal);
      process.stdout.write(`${JSON.stringify(vector)}\n`);
      return exitCodes.ok;
    } finally {
      process.off("SIGINT", interrupt);
      await link.close();
    }
  }
}

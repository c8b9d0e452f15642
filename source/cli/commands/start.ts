// modelctl without a command: the chat on the built-in model, or, without a terminal, one answer.
import type { Flags } from "../flags.ts";
import { readSettings } from "../session-settings.ts";
import { chat } from "./run.ts";

const model = "tiny";
const sampleQuestion = "What is the capital of France?";

export async function start(_words: string[], flags: Flags): Promise<number> {
  const settings = readSettings(flags);
  if (process.stdin.isTTY && process.stdout.isTTY) return await chat(model, flags, settings, true);
  const { printAnswer } = await import("../one-shot.ts");
  const { ServerLink } = await import("../server-link.ts");
  // A server of its own on a free port, gone with the answer: nothing is left behind.
  return await printAnswer({
    model,
    prompt: sampleQuestion,
    flags,
    link: () => ServerLink.open(flags, settings, "private", model),
  });
}

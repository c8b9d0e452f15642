// modelctl without a command: the chat on the built-in model, or, without a terminal, one answer.
import type { Run } from "../program/definition.ts";
import { readSettings } from "../session-settings.ts";
import type { startDefinition } from "./run.definition.ts";
import { chat } from "./run.ts";

const model = "tiny";
const sampleQuestion = "What is the capital of France?";

export const start: Run<typeof startDefinition> = async (_words, flags) => {
  const settings = readSettings(flags);
  if (process.stdin.isTTY && process.stdout.isTTY) return await chat(model, flags, settings, true);
  process.stderr.write(
    `No terminal: answering a sample question, "${sampleQuestion}", with the built-in model ${model}.\n`,
  );
  const { printAnswer } = await import("../one-shot.ts");
  const { ServerLink } = await import("../server-link.ts");
  // Private server on a free port, which ends with the answer and leaves nothing behind.
  const code = await printAnswer({
    model,
    prompt: sampleQuestion,
    flags,
    link: () => ServerLink.open(flags, settings, "private", model),
  });
  process.stderr.write(
    'Next: modelctl run tiny "PROMPT", modelctl serve, or modelctl --help; on a terminal, modelctl opens a chat.\n',
  );
  return code;
};

// Worker thread for slow templates: renders one conversation and exits.
import { parentPort, workerData } from "node:worker_threads";
import { ProductError } from "../base/product-error.ts";
import { ChatTemplate } from "./chat-template.ts";
import { GoChatTemplate } from "./go-template/go-chat-template.ts";
import type { RenderJob, RenderOutcome } from "./render-in-time.ts";

function render({ kind, source, conversation, model, limits }: RenderJob): RenderOutcome {
  try {
    const template = kind === "go" ? new GoChatTemplate(source) : new ChatTemplate(source);
    return { segments: template.render(conversation, model, { limits }) };
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    const { code, message, hint, param } = error;
    return {
      code,
      message,
      ...(hint !== undefined && { hint }),
      ...(param !== undefined && { param }),
    };
  }
}

parentPort?.postMessage(render(workerData));

// Routes of OpenAI's API, below `/v1`.
import { ProductError } from "../../../base/product-error.ts";
import type { Routes } from "../../dependencies.ts";
import { serverErrors } from "../../errors.ts";
import { registerChatCompletions } from "./chat-completions.ts";
import { registerCompletions } from "./completions.ts";
import { registerEmbeddings } from "./embeddings.ts";
import { registerModels } from "./models.ts";
import { registerRerank } from "./rerank.ts";
import { registerResponses } from "./responses/responses.ts";

export const openAiRoutes: Routes = async (app, { dependencies }) => {
  registerModels(app, dependencies);
  registerChatCompletions(app, dependencies);
  registerResponses(app, dependencies);
  registerCompletions(app, dependencies);
  registerEmbeddings(app, dependencies);
  registerRerank(app, dependencies);
  app.post("/audio/transcriptions", async (_request, reply) => {
    // OpenAI's libraries retry 5xx replies unless told not to.
    reply.header("x-should-retry", "false");
    throw new ProductError(serverErrors.routeUnavailable, {
      message: "Audio is not transcribed: this server runs language models.",
    });
  });
};

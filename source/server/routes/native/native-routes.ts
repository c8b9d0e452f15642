// Routes of Ollama's API that use a model, and those of the request log, below `/api`.
import type { Routes } from "../../dependencies.ts";
import { registerChat } from "./chat.ts";
import { registerEmbed } from "./embed.ts";
import { registerGenerate } from "./generate.ts";
import { registerPs } from "./ps.ts";
import { registerCancel, registerRecording, registerRequests } from "./requests.ts";
import { registerTokens } from "./tokens.ts";

export const nativeRoutes: Routes = async (app, { dependencies }) => {
  registerGenerate(app, dependencies);
  registerChat(app, dependencies);
  registerEmbed(app, dependencies);
  registerTokens(app, dependencies);
  registerPs(app, dependencies);
  registerRequests(app, dependencies);
  registerCancel(app, dependencies);
  registerRecording(app, dependencies);
};

// The chat's backend: a server that is spoken to over HTTP.
import type { ChatEvent, ClientMessage, ModelFacts } from "../client/chat-events.ts";
import type { ChatBackend, ChatSettings } from "../ui/chat-backend.ts";
import { answerOptions } from "./answer-flags.ts";
import type { Flags } from "./flags.ts";
import type { ServerLink } from "./server-link.ts";

/** @throws ServerRefusal when the model does not exist; it is asked before the chat begins */
export async function createHttpBackend(
  link: ServerLink,
  model: string,
  flags: Flags,
): Promise<ChatBackend> {
  const answer = answerOptions(flags);
  let facts: ModelFacts = await link.client.modelFacts(model);
  return {
    get facts() {
      return facts;
    },
    serverLabel: () => `● ${new URL(link.client.connection.url).host}`,
    async *chat(
      messages: ClientMessage[],
      settings: ChatSettings,
      signal: AbortSignal,
    ): AsyncGenerator<ChatEvent> {
      const { system, parameters } = settings;
      const all: ClientMessage[] =
        system === undefined ? messages : [{ role: "system", content: system }, ...messages];
      const options = {
        model,
        signal,
        parameters,
        ...answer,
      };
      for await (const event of link.ask(signal, (client) => client.chat(all, options))) {
        yield event;
        // The window is known once the model is loaded.
        if (event.type === "done" && facts.contextLength === undefined) {
          facts = await link.client.modelFacts(model).catch(() => facts);
        }
      }
    },
  };
}

// The chat's backend: a server that is spoken to over HTTP.
import { ProductError } from "../base/product-error.ts";
import type { ChatEvent, ClientMessage, ModelFacts } from "../client/chat-events.ts";
import { clientErrors } from "../client/errors.ts";
import type { ChatBackend, ChatSettings } from "../ui/chat-backend.ts";
import type { Connection } from "./connect.ts";
import type { Flags } from "./modelctl.ts";

/** @throws ServerRefusal when the model does not exist; it is asked before the chat begins */
export async function createHttpBackend(
  connection: Connection,
  model: string,
  flags: Flags,
): Promise<ChatBackend> {
  const { client } = connection;
  let facts: ModelFacts = await client.modelFacts(model);
  return {
    get facts() {
      return facts;
    },
    serverLabel: () => `● ${new URL(client.connection.url).host}`,
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
        ...(flags.keepalive !== undefined && { keepAlive: flags.keepalive }),
      };
      for await (const event of client.chat(all, options)) {
        yield event;
        // The window is known once the model is loaded.
        if (event.type === "done" && facts.contextLength === undefined) {
          facts = await client.modelFacts(model).catch(() => facts);
        }
      }
    },
  };
}

/** Whether an error means that the server is gone. */
export function isServerGone(error: unknown): boolean {
  return (
    error instanceof ProductError &&
    (error.code === clientErrors.unreachable.code || error.code === clientErrors.vanished.code)
  );
}

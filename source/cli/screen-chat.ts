// The full-screen chat: connects, opens the screen, and leaves the server in order.
import path from "node:path";
import { packageVersion } from "../application/package-facts.ts";
import type { HostedServer } from "../application/server-host.ts";
import { exitCodes } from "../base/product-error.ts";
import { connect } from "./connect.ts";
import { createHttpBackend } from "./http-backend.ts";
import type { Flags } from "./modelctl.ts";
import type { CommandSettings } from "./session-settings.ts";

export async function chatOnScreen(
  model: string,
  flags: Flags,
  settings: CommandSettings,
): Promise<number> {
  // Ink and React are imported while the server starts.
  const screen = import("../ui/render-chat.tsx");
  const connection = await connect(flags, settings, "hosted", model);
  try {
    const backend = await createHttpBackend(connection, model, flags);
    const { runChatScreen } = await screen;
    const { examples = [] } = backend.facts;
    const result = await runChatScreen({
      backend,
      version: packageVersion(),
      settings: { system: flags.system, parameters: {} },
      ...(examples.length > 0 && { examplePrompts: examples }),
      ...(!settings.values.nohistory && { historyFile: path.join(settings.paths.state, "history") }),
    });
    if (connection.hosted !== undefined) await letOthersFinish(connection.hosted);
    return result.reason === "bye" ? exitCodes.ok : exitCodes.interrupted;
  } finally {
    await connection.hosted?.close();
  }
}

/** This process hosts the server: requests of other clients are not cut off with the screen. */
async function letOthersFinish({ requestLog }: HostedServer): Promise<void> {
  const count = requestLog.running.length;
  if (count === 0) return;
  process.stderr.write(
    `Finishing ${count} ${count === 1 ? "request" : "requests"} of other clients; Ctrl+C ends them.\n`,
  );
  await new Promise<void>((resolve) => {
    process.once("SIGINT", () => resolve());
    const stop = requestLog.follow(() => {
      if (requestLog.running.length > 0) return;
      stop();
      resolve();
    });
  });
}

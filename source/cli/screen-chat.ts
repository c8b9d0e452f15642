// The full screen: connects, opens the program, and leaves the server in order.
import path from "node:path";
import { readRequestFilter } from "../application/request-filter.ts";
import type { HostedServer } from "../application/server-host.ts";
import { exitCodes } from "../base/product-error.ts";
import type { Flags } from "./flags.ts";
import { createHttpBackend } from "./http-backend.ts";
import { ServerLink } from "./server-link.ts";
import type { CommandSettings } from "./session-settings.ts";

export async function chatOnScreen(
  model: string,
  flags: Flags,
  settings: CommandSettings,
): Promise<number> {
  // Ink and React are imported while the server starts.
  const screen = import("../ui/app/run-app.tsx");
  const link = await ServerLink.open(flags, settings, "hosted", model);
  try {
    const backend = await createHttpBackend(link, model, flags);
    const { runApp } = await screen;
    const { examples = [] } = backend.facts;
    const result = await runApp({
      chat: {
        backend,
        settings: { system: flags.system, parameters: {} },
        ...(examples.length > 0 && { examplePrompts: examples }),
        ...(!settings.values.nohistory && {
          historyFile: path.join(settings.paths.state, "history"),
        }),
      },
      server: {
        client: () => link.client,
        readFilter: readRequestFilter,
        ...(link.hosted !== undefined && {
          control: {
            isRunning: () => link.isHosting,
            stop: () => link.stopHosting(settings.values.shutdown_timeout),
            start: () => link.startHosting(),
          },
        }),
      },
      theme: settings.values.theme,
      isInline: flags.inline ?? false,
      ...(flags.screenReader && { isScreenReader: true }),
    });
    if (link.hosted !== undefined && link.isHosting) await letOthersFinish(link.hosted);
    return result.reason === "bye" ? exitCodes.ok : exitCodes.interrupted;
  } finally {
    await link.close();
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

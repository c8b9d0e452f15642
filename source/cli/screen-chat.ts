// The full screen: opens the program, and shuts down the server at the end.
import { exitCodes } from "../base/product-error.ts";
import type { ViewOptions } from "../ui/app/app-options.ts";
import { loadApp } from "../ui/app/load-app.ts";
import type { Flags } from "./flags.ts";
import { holdKeys } from "./held-keys.ts";
import { handOverServer, leaveServer } from "./leave-server.ts";
import { printResumeLine } from "./resume-line.ts";
import type { ServerLink } from "./server-link.ts";
import type { CommandSettings } from "./session-settings.ts";

/**
 * @param isPaintedFirst before the server is there and the model was found
 * @throws those of `openScreenParts`, after the terminal has been restored
 */
export async function chatOnScreen(
  model: string,
  flags: Flags,
  settings: CommandSettings,
  isPaintedFirst: boolean,
): Promise<number> {
  let link: ServerLink | undefined;
  let keepsServer = false;
  const prepare = async () => {
    const { openScreenParts } = await import("./screen-parts.ts");
    const opened = await openScreenParts(model, flags, settings);
    link = opened.link;
    return opened.parts;
  };
  const view: ViewOptions = {
    theme: settings.values.theme,
    isInline: flags.inline ?? false,
    ...(flags.screenReader && { isScreenReader: true }),
  };
  try {
    const parts = isPaintedFirst ? undefined : await prepare();
    const { runApp, runAppAhead } = await loadApp();
    // Until here Ctrl+C is the terminal's own.
    holdKeys();
    const result = await (parts === undefined
      ? runAppAhead(view, prepare)
      : runApp({ ...view, ...parts }));
    printResumeLine(result);
    keepsServer = result.keepsServer ?? false;
    return result.reason === "bye" ? exitCodes.ok : exitCodes.interrupted;
  } finally {
    // Absent if it could not be reached or started.
    if (link !== undefined) {
      const limitMs = settings.values.shutdown_timeout;
      if (keepsServer) await handOverServer(link, model, limitMs);
      else await leaveServer(link, limitMs);
    }
  }
}

// Opens the full screen, and shuts down the server at the end.
import { exitCodes } from "../base/product-error.ts";
import type { ViewOptions } from "../ui/app/app-options.ts";
import type { CommandTools } from "./chat-tools.ts";
import { holdKeys } from "./early-keys.ts";
import type { Flags } from "./flags.ts";
import { keepServer, leaveServer } from "./leave-server.ts";
import { printResumeLine } from "./saved-chats.ts";
import type { ServerLink } from "./server-link.ts";
import type { CommandSettings } from "./session-settings.ts";
import type { StartingModel } from "./starting-model.ts";

/**
 * @param findModel called once, after the first frame if that is painted first
 * @param isPaintedFirst draws the screen before the server runs and the model is known to exist
 * @throws as `openScreenParts`, after restoring the terminal
 */
export async function chatOnScreen(
  findModel: () => Promise<StartingModel>,
  flags: Flags,
  settings: CommandSettings,
  isPaintedFirst: boolean,
): Promise<number> {
  let link: ServerLink | undefined;
  let tools: CommandTools | undefined;
  let code: number = exitCodes.interrupted;
  let keepsServer = false;
  const prepare = async () => {
    const { openScreenParts } = await import("./screen-parts.ts");
    const opened = await openScreenParts(await findModel(), flags, settings);
    link = opened.link;
    tools = opened.tools;
    return opened.parts;
  };
  const view: ViewOptions = {
    theme: settings.values.theme,
    isInline: flags.inline ?? false,
    ...(flags.screenReader && { isScreenReader: true }),
  };
  try {
    const parts = isPaintedFirst ? undefined : await prepare();
    const { runApp, runAppAhead } = await import("../ui/app/run-app.tsx");
    // Until here, Ctrl+C ends the program.
    holdKeys();
    const result = await (parts === undefined
      ? runAppAhead(view, prepare)
      : runApp({ ...view, ...parts }));
    printResumeLine(result);
    keepsServer = result.keepsServer ?? false;
    if (result.reason === "bye") code = exitCodes.ok;
    return code;
  } finally {
    await tools?.set.close();
    // Absent if the server could not be reached or started.
    if (link !== undefined) {
      const limitMs = settings.values.shutdown_timeout;
      if (keepsServer) await keepServer(link, code, limitMs);
      else await leaveServer(link, limitMs);
    }
  }
}

// deployctl without a command: the console, or, without a terminal, the help.
import { describeError, exitCodes } from "../../../base/product-error.ts";
import { loadSettings } from "../../../configuration/load-settings.ts";
import { productPaths } from "../../../configuration/paths.ts";
import type { AppOptions } from "../../../ui/app/app-options.ts";
import { loadApp } from "../../../ui/app/load-app.ts";
import { keptChats } from "../../kept-chats.ts";
import type { FlagTable, Program } from "../../program.ts";
import type { Flags } from "../flags.ts";
import { createCloudAccess } from "../screen-access.ts";
import { help } from "./help.ts";

export async function openScreens<Table extends FlagTable>(
  _words: string[],
  flags: Flags,
  program: Program<Table>,
): Promise<number> {
  const isOnTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (!isOnTerminal || flags.json) return await help(program);
  const cloud = createCloudAccess(flags);
  const { runApp } = await loadApp();
  const { reason } = await runApp({
    cloud,
    ...viewAndChats(flags),
    ...(flags.inline && { isInline: true }),
    ...(flags.screenReader && { isScreenReader: true }),
    program: "deployctl",
    first: "console",
  });
  return reason === "bye" ? exitCodes.ok : exitCodes.interrupted;
}

/**
 * The look, and where chats are kept, as modelctl has them. Settings of modelctl that cannot be read are
 * no reason to show no screens.
 */
function viewAndChats({ theme }: Flags): Pick<AppOptions, "kept" | "notices" | "theme"> {
  const paths = productPaths();
  const { configurationFile: file } = paths;
  const typed = theme === undefined ? {} : { theme };
  try {
    const settings = loadSettings({ flags: typed, environment: process.env, file });
    return { kept: keptChats(settings, paths), theme: settings.values.theme };
  } catch (error) {
    if (theme !== undefined) throw error;
    return { notices: [`Chats are not kept: ${describeError(error)}`] };
  }
}

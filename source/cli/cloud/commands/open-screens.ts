// deployctl without a command: the console; without a terminal, the help.
import { describeError, exitCodes } from "../../../base/product-error.ts";
import { loadSettings } from "../../../configuration/load-settings.ts";
import { productPaths } from "../../../configuration/paths.ts";
import type { AppOptions } from "../../../ui/app/app-options.ts";
import type { Run } from "../../program/definition.ts";
import { chatStorage, printResumeLine } from "../../saved-chats.ts";
import type { Flags } from "../flags.ts";
import { createCloudAccess } from "../screen-access.ts";
import type { startCommand } from "./server.definition.ts";

export const openScreens: Run<typeof startCommand.openScreens> = async (_words, flags, program) => {
  const isOnTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (!isOnTerminal || flags.json) {
    const { readCommandLine } = await import("../../program/read-command-line.ts");
    const page = readCommandLine(program, ["--help"]);
    if (page.kind === "text") process.stdout.write(page.text);
    return exitCodes.ok;
  }
  const cloud = createCloudAccess(flags);
  const { runApp } = await import("../../../ui/app/run-app.tsx");
  const result = await runApp({
    cloud,
    ...viewAndChats(flags),
    ...(flags.inline && { isInline: true }),
    ...(flags.screenReader && { isScreenReader: true }),
    program: "deployctl",
    first: "console",
  });
  printResumeLine(result);
  return result.reason === "bye" ? exitCodes.ok : exitCodes.interrupted;
};

/**
 * Returns theme and chat storage from modelctl's settings. Without a theme flag, unreadable settings only
 * give a notice.
 */
function viewAndChats({ theme }: Flags): Pick<AppOptions, "kept" | "notices" | "theme"> {
  const paths = productPaths();
  const { configurationFile: file } = paths;
  const typed = theme === undefined ? {} : { theme };
  try {
    const settings = loadSettings({ flags: typed, environment: process.env, file });
    return { kept: chatStorage(settings, paths), theme: settings.values.theme };
  } catch (error) {
    if (theme !== undefined) throw error;
    return { notices: [`Chats are not saved: ${describeError(error)}`] };
  }
}

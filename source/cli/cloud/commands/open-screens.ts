// deployctl without a command: the console, or, without a terminal, the help.
import { describeError, exitCodes } from "../../../base/product-error.ts";
import { loadSettings } from "../../../configuration/load-settings.ts";
import { productPaths } from "../../../configuration/paths.ts";
import type { AppParts } from "../../../ui/app/app-options.ts";
import { keptChats } from "../../kept-chats.ts";
import type { Flags } from "../flags.ts";
import { createCloudAccess } from "../screen-access.ts";
import { help } from "./help.ts";

export async function openScreens(_words: string[], flags: Flags): Promise<number> {
  const isOnTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (!isOnTerminal || flags.json) return await help();
  const cloud = createCloudAccess(flags);
  const { runApp } = await import("../../../ui/app/run-app.tsx");
  const parts: AppParts = { cloud, ...chatsOfModelctl() };
  const { reason } = await runApp({ ...parts, program: "deployctl", first: "console" });
  return reason === "bye" ? exitCodes.ok : exitCodes.interrupted;
}

/** Chats are kept beside modelctl's. Settings that cannot be read are no reason to show no screens. */
function chatsOfModelctl(): Pick<AppParts, "kept" | "notices"> {
  const paths = productPaths();
  try {
    const settings = loadSettings({ environment: process.env, file: paths.configurationFile });
    return { kept: keptChats(settings, paths) };
  } catch (error) {
    return { notices: [`Chats are not kept: ${describeError(error)}`] };
  }
}

// deployctl without a command: the console, or, without a terminal, the help.
import { exitCodes } from "../../../base/product-error.ts";
import type { Flags } from "../flags.ts";
import { createCloudAccess } from "../screen-access.ts";
import { help } from "./help.ts";

export async function openScreens(_words: string[], flags: Flags): Promise<number> {
  const isOnTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (!isOnTerminal || flags.json) return await help();
  const cloud = createCloudAccess(flags);
  const { runApp } = await import("../../../ui/app/run-app.tsx");
  const { reason } = await runApp({ cloud, program: "deployctl", first: "console" });
  return reason === "bye" ? exitCodes.ok : exitCodes.interrupted;
}

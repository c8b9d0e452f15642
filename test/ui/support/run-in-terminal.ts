// Runs the whole program in an in-memory terminal, and ends it after the test.

import { onTestFinished } from "vitest";
import type { AppOptions, AppResult } from "../../../source/ui/app/app-options.ts";
import { runApp } from "../../../source/ui/app/run-app.tsx";
import type { SizedTerminal } from "./sized-terminal.ts";

/**
 * @param opened a text of the first frame
 * @returns the program's result, once it has ended
 */
export async function runInTerminal(
  screen: SizedTerminal,
  options: AppOptions,
  opened: string,
): Promise<{ readonly result: Promise<AppResult> }> {
  const { stdin, stdout } = screen;
  const environment = { LANG: "en_GB.UTF-8" };
  const result = runApp({ environment, ...options, stdin, stdout });
  onTestFinished(async () => {
    screen.hangUp();
    await result;
  });
  const shown = screen.until(opened);
  // The error of a program that fails to open is more useful than an empty screen.
  await Promise.race([shown, result.then(() => shown)]);
  return { result };
}

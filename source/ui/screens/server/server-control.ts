// Stopping and starting the server that this program hosts.

import { describeError } from "../../../base/product-error.ts";
import type { FrameServices } from "../../frame/screen.ts";
import type { ServerWatch } from "../../live/server-watch.ts";

export interface ServerControl {
  readonly isRunning: () => boolean;
  /** @throws with a sentence */
  stop(): Promise<void>;
  /** @throws with a sentence, such as that the port is taken */
  start(): Promise<void>;
}

/**
 * Starts a stopped server, or stops a running one once the person is sure.
 * @returns a sentence on how it went; undefined where nothing was done
 */
export async function toggleServer(
  control: ServerControl | undefined,
  frame: Pick<FrameServices, "confirm">,
  watch: ServerWatch,
): Promise<string | undefined> {
  if (control === undefined) return "Another program hosts this server";
  try {
    if (!control.isRunning()) {
      await control.start();
      return `The server is listening on ${watch.url}`;
    }
    const running = watch.sample?.running ?? 0;
    const effect = running > 0 ? ` ${running} running requests are finished first.` : "";
    if (!(await frame.confirm(`Stop the server on ${watch.url}?${effect}`))) return undefined;
    await control.stop();
    return "The server is stopped";
  } catch (error) {
    return describeError(error);
  }
}

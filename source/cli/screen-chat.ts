// The full screen: opens the program, and leaves the server in order.
import type { HostedServer } from "../application/server-host.ts";
import { exitCodes } from "../base/product-error.ts";
import type { AppResult, ViewOptions } from "../ui/app/app-options.ts";
import type { Flags } from "./flags.ts";
import type { ServerLink } from "./server-link.ts";
import type { CommandSettings } from "./session-settings.ts";

/**
 * @param isPaintedFirst before the server is there and the model was found; an error is told after
 *   the terminal has been restored
 */
export async function chatOnScreen(
  model: string,
  flags: Flags,
  settings: CommandSettings,
  isPaintedFirst: boolean,
): Promise<number> {
  let link: ServerLink | undefined;
  const prepare = async () => {
    const { openScreenParts } = await import("./screen-parts.ts");
    const opened = await openScreenParts(model, flags, settings);
    link = opened.link;
    return opened.parts;
  };
  // Ink and React are imported while the server starts.
  const app = import("../ui/app/run-app.tsx");
  const view: ViewOptions = {
    theme: settings.values.theme,
    isInline: flags.inline ?? false,
    ...(flags.screenReader && { isScreenReader: true }),
  };
  let result: AppResult;
  try {
    if (isPaintedFirst) {
      result = await (await app).runAppAhead(view, prepare);
    } else {
      const parts = await prepare();
      result = await (await app).runApp({ ...view, ...parts });
    }
    const hosted = hostedBy(link);
    if (hosted !== undefined) await letOthersFinish(hosted);
    return result.reason === "bye" ? exitCodes.ok : exitCodes.interrupted;
  } finally {
    await closeLink(link);
  }
}

function hostedBy(link: ServerLink | undefined): HostedServer | undefined {
  return link?.isHosting ? link.hosted : undefined;
}

async function closeLink(link: ServerLink | undefined): Promise<void> {
  await link?.close();
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

// Starts, stops and configures the server that this program hosts.

import { describeError } from "../../../base/product-error.ts";
import { plural } from "../../../base/quantities.ts";
import type { ServerControl } from "../../app/server-access.ts";
import { askSettings } from "./server-settings.ts";
import type { HostedServer, ServerContext, StartProblem } from "./server-state.ts";

type ControlContext = Pick<ServerContext, "store" | "frame" | "watch">;
type ActionMessage = Promise<string | undefined>;

const remedies: Readonly<Record<string, StartProblem["remedy"]>> = {
  SERVER_PORT_TAKEN: "next-port",
  SERVER_ALREADY_RUNNING: "next-port",
  SERVER_NO_KEY: "make-key",
};

export function hostedServer({
  control,
  store,
  watch: { url },
}: Pick<ServerContext, "control" | "store" | "watch">): HostedServer {
  if (control === undefined) return { url, state: undefined, warning: undefined };
  const isBusy = store.get().work !== undefined;
  const state = isBusy ? "busy" : control.isRunning() ? "running" : "stopped";
  return { url, state, warning: control.warning() };
}

/** Starts a stopped server, or stops a running one after a confirmation. */
export async function toggleServer(context: ControlContext, control: ServerControl): ActionMessage {
  const { frame, watch } = context;
  if (!control.isRunning()) return await start(context, control, () => control.start());
  const question = `Stop the server on ${watch.url}?${unfinishedRequests(context)}`;
  if (!(await frame.confirm(question))) return undefined;
  await stop(context, control);
  return "The server is stopped";
}

export async function changeSettings(
  context: ControlContext,
  control: ServerControl,
): ActionMessage {
  const { frame } = context;
  const wanted = await askSettings(control.settings(), !control.isRunning(), frame);
  if (wanted === undefined) return undefined;
  if (control.isRunning()) {
    const place = `${wanted.host}:${wanted.port}`;
    const question = `Restart the server on ${place}?${unfinishedRequests(context)}`;
    if (!(await frame.confirm(question))) return "Settings not changed";
    await stop(context, control);
  }
  return await start(context, control, () => control.startWith(wanted));
}

export async function startOnNextPort(
  context: ControlContext,
  control: ServerControl,
): ActionMessage {
  return await start(context, control, () => control.startOnNextPort());
}

/** Creates the key that a server needs to start if others can reach it. */
export async function makeKey(context: ControlContext, control: ServerControl): ActionMessage {
  const { frame } = context;
  const token = await control.makeKey();
  const question = `New key (shown once): ${token}. Copy it and start the server?`;
  if (!(await frame.confirm(question))) return "Key created; press S to start the server";
  await frame.copy(token);
  return await start(context, control, () => control.startWith(control.settings()));
}

function unfinishedRequests({ watch }: ControlContext): string {
  const running = watch.sample?.running ?? 0;
  return running === 0 ? "" : ` ${plural(running, "running request")} will finish first.`;
}

async function stop({ store, watch }: ControlContext, control: ServerControl): Promise<void> {
  store.update({ work: `stopping ${watch.url}; waiting for running requests` });
  try {
    await control.stop();
  } finally {
    store.update({ work: undefined });
  }
}

async function start(
  { store, watch }: ControlContext,
  control: ServerControl,
  begin: () => Promise<void>,
): ActionMessage {
  store.update({ startProblem: undefined, work: "starting the server" });
  try {
    await begin();
    return `The server is listening on ${watch.url}`;
  } catch (error) {
    if (control.isRunning()) return describeError(error);
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const sentence = error instanceof Error ? error.message : String(error);
    store.update({ startProblem: { sentence, remedy: remedies[code] ?? "none" } });
    return undefined;
  } finally {
    store.update({ work: undefined });
  }
}

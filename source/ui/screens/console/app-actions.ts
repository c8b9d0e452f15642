// Actions on a deployment or a replica: confirm, act, report.

import { toOneLine } from "../../../base/display-text.ts";
import { formatRelativeTime } from "../../../base/formats.ts";
import { describeError } from "../../../base/product-error.ts";
import type { AppDocument, DeployEvent, RevisionDocument } from "../../../cloud/admin/documents.ts";
import type { ScaleSettings } from "../../../cloud/app-config.ts";
import type { Choice } from "../../frame/screen.ts";
import { canChat, selectedApp, selectedReplica, selectNamed } from "./console-state.ts";
import { nameOf, sharingText } from "./console-texts.ts";
import type { ConsoleContext } from "./pane-actions.ts";

/** A sentence to show, if any. */
type Outcome = Promise<string | undefined>;

/**
 * Acts on the selected deployment; a typed line that starts with a name selects that one first.
 *
 * @param act gets the words after the deployment's name, or all words without one
 */
function onApp(act: (context: ConsoleContext, app: AppDocument, rest: string) => Outcome) {
  return async (context: ConsoleContext, words = ""): Outcome => {
    const { state, rest } = selectNamed(context.state, words);
    if (state !== context.state) context.store.update(state);
    const app = selectedApp(state);
    return app && (await act(context, app, rest));
  };
}

/** Acts on the deployment. Words after its name in a typed line are refused. */
function onAppAlone(act: (context: ConsoleContext, app: AppDocument) => Outcome) {
  return onApp(async (context, app, rest) =>
    rest === "" ? await act(context, app) : `No deployment named '${rest}'`,
  );
}

/** Opens a chat. A deployment that cannot chat shows its details, which tell why or how to call it. */
export const open = onApp(async (context, app) => {
  if (app.state === "PAUSED") return `${nameOf(app)} is stopped; x resumes it`;
  if (!canChat(app)) return await openDetails(context, app);
  await context.chatWith(context.feed.server, app);
  return undefined;
});

export const showDetails = onApp(openDetails);

async function openDetails({ store, feed }: ConsoleContext, app: AppDocument): Outcome {
  const name = nameOf(app);
  const facts = await feed.detailsOf(name);
  if (facts === undefined) return `${name} is deleted`;
  store.update({ details: { facts, top: 0 } });
  return undefined;
}

export const copyUrl = onApp(async ({ frame }, { url }) => await frame.copy(url));

export const copyCalls = onApp(
  async ({ frame, feed }, app) => await frame.copy(feed.server.callLines(app).join("\n")),
);

/** Takes a range, or asks for one. */
export const scale = onApp(async ({ frame, feed }, app, typed) => {
  const name = nameOf(app);
  const question = `Replicas of ${name} (MIN..MAX, or reset for the script's range)`;
  const text = typed !== "" ? typed : await frame.ask(question, rangeText(app.scale));
  if (text === undefined) return undefined;
  const range = readRange(text, app.scale);
  if (range === "reset") {
    const { scale } = await feed.server.client.resetScale(name);
    void feed.refresh();
    return `${name} is reset to ${rangeText(scale)} replicas`;
  }
  const effect = rangeEffect(range);
  const change = `Scale ${name} from ${rangeText(app.scale)} to ${text.trim()}?`;
  if (!(await frame.confirm(`${change} ${effect}`))) return undefined;
  const { scale } = await feed.server.client.scale(name, range);
  void feed.refresh();
  return `${name} scales ${rangeText(scale)}; later deployments keep it`;
});

/** Takes a revision or its prefix, or offers a choice. */
export const rollBack = onApp(async (context, app, typed) => {
  const { frame, feed, now } = context;
  const name = nameOf(app);
  frame.notify(`Loading revisions of ${name}`);
  const usable = (await feed.server.client.revisions(name)).filter(
    ({ revision, state }) =>
      revision !== app.activeRevision && (state === "SUPERSEDED" || state === "RETIRED"),
  );
  if (usable.length === 0) return `${name} has no earlier revision to roll back to`;
  const question = `Roll ${name} back from ${app.activeRevision ?? "none"} to`;
  if (typed === "") {
    const choices = usable.map((other) => revisionChoice(other, now()));
    const chosen = await frame.choose(question, choices);
    return chosen && (await activate(context, name, chosen));
  }
  const [one, ...others] = usable.filter(({ revision }) => revision.startsWith(typed));
  if (one === undefined || others.length > 0) return `${name} has no earlier revision ${typed}`;
  if (!(await frame.confirm(`${question} ${one.revision}?`))) return undefined;
  return await activate(context, name, one.revision);
});

/** Promotes the new revision of a split, or aborts. */
export const endSplit = onAppAlone(async (context, app) => {
  const { frame, feed } = context;
  const name = nameOf(app);
  if (app.traffic === undefined) return `The traffic of ${name} is not split`;
  const [active, candidate] = app.traffic.revisions;
  const chosen = await frame.choose(
    `${name}: ${app.traffic.revisions.map(sharingText).join("; ")}`,
    [
      { value: "keep", title: "Keep the split" },
      { value: "promote", title: `Give all traffic to ${candidate.revision}` },
      { value: "abort", title: `Give all traffic back to ${active.revision}` },
    ],
  );
  if (chosen === "promote") return await activate(context, name, candidate.revision);
  if (chosen !== "abort") return undefined;
  await feed.server.client.abortTraffic(name);
  void feed.refresh();
  return `${name} serves ${active.revision} only`;
});

export const stopOrResume = onAppAlone(async ({ frame, feed }, app) => {
  const name = nameOf(app);
  if (app.state === "PAUSED") {
    await feed.server.client.resume(name);
    void feed.refresh();
    return `${name} is resumed`;
  }
  const question = `Stop ${name}? ${stopEffect(app.replicas.alive)} x resumes it.`;
  if (!(await frame.confirm(question))) return undefined;
  await feed.server.client.pause(name);
  void feed.refresh();
  return `${name} is stopped; x resumes it`;
});

/** Deletes the deployment once its name is typed. */
export const remove = onAppAlone(async ({ frame, feed, store }, app) => {
  const name = nameOf(app);
  const question = `Delete ${name} and its revisions? ${app.url} will answer 410. Type ${app.app} to confirm`;
  const typed = (await frame.ask(question))?.trim();
  if (typed === undefined) return undefined;
  if (typed !== app.app && typed !== name) {
    return `'${typed}' is not ${app.app}; nothing deleted`;
  }
  await feed.server.client.deleteApp(name);
  store.update({ details: undefined });
  void feed.refresh();
  return `${name} is deleted`;
});

export async function stopReplica({ state, frame, feed }: ConsoleContext): Outcome {
  const selected = selectedReplica(state);
  if (selected === undefined) return undefined;
  const { replica, inFlight } = selected;
  const first = inFlight === 0 ? "" : ` It finishes ${requestCount(inFlight)} first.`;
  const chosen = await frame.choose(`Stop replica ${replica}?${first}`, [
    { value: "keep", title: "No, keep it" },
    { value: "replace", title: "Yes, after a replacement is ready" },
    { value: "end", title: "Yes, without a replacement" },
  ]);
  if (chosen === undefined || chosen === "keep") return undefined;
  await feed.server.client.stopReplica(replica, { replace: chosen === "replace" });
  void feed.refresh();
  return `Stopping ${replica}`;
}

/** Rolls back; the server finishes it even if the console closes. */
async function activate(
  { store, feed, closing }: ConsoleContext,
  app: string,
  revision: string,
): Outcome {
  const note = (sentence: string | undefined) =>
    store.update({ works: { ...store.get().works, [app]: sentence } });
  note("starting");
  try {
    for await (const event of feed.server.client.activate(app, { revision }, closing)) {
      if (event.kind === "phase") note(`${event.phase}: ${event.sentence}`);
      const ending = endingOf(app, event);
      if (ending !== undefined) return ending;
    }
    if (closing.aborted) return undefined;
    return `The control plane disconnected; the result for ${app} is unknown`;
  } catch (error) {
    return closing.aborted ? undefined : describeError(error);
  } finally {
    note(undefined);
    void feed.refresh();
  }
}

function requestCount(count: number): string {
  return count === 1 ? "its request" : `its ${count} requests`;
}

function stopEffect(alive: number): string {
  if (alive === 0) return "Requests will be refused.";
  return alive === 1
    ? "Its replica finishes its requests and stops; new requests are refused."
    : `Its ${alive} replicas finish their requests and stop; new requests are refused.`;
}

function endingOf(app: string, event: DeployEvent): string | undefined {
  if (event.kind === "done") return `${app} now serves ${event.result.revision}`;
  return event.kind === "failed" ? `${app} is unchanged: ${event.sentence}` : undefined;
}

function revisionChoice(
  { revision, createdAt, message, isPinned }: RevisionDocument,
  now: number,
): Choice {
  const about = [isPinned ? "pinned" : "", toOneLine(message ?? "")].filter(Boolean).join(", ");
  return {
    value: revision,
    title: about === "" ? revision : `${revision}  ${about}`,
    note: formatRelativeTime(createdAt, now),
  };
}

type Range = Pick<ScaleSettings, "minConcurrency" | "maxConcurrency">;

const replicasMaximum = 10_000;

/**
 * Reads `1..4`, `1-4`, `4` for the largest number alone, or `reset`.
 *
 * @throws with a sentence for anything else
 */
export function readRange(text: string, scale: ScaleSettings): Range | "reset" {
  const typed = text.trim().toLowerCase();
  if (typed === "reset") return typed;
  const [, low, high] = /^(?:(\d{1,5})\s*(?:\.\.|-|to)\s*)?(\d{1,5})$/.exec(typed) ?? [];
  if (high === undefined) {
    throw new Error(`Invalid range '${text}'; use one such as 0..4, or reset`);
  }
  const maxConcurrency = Number(high);
  const minConcurrency = low === undefined ? scale.minConcurrency : Number(low);
  if (maxConcurrency < 1 || maxConcurrency > replicasMaximum) {
    throw new Error(`Maximum ${high} is out of range; use 1 to ${replicasMaximum}`);
  }
  if (minConcurrency > maxConcurrency) {
    throw new Error(`Minimum ${minConcurrency} is above maximum ${maxConcurrency}`);
  }
  return { minConcurrency, maxConcurrency };
}

function rangeText({ minConcurrency, maxConcurrency }: Range): string {
  return `${minConcurrency}..${maxConcurrency}`;
}

/** Explains a range before it is set. */
export function rangeEffect({ minConcurrency, maxConcurrency }: Range): string {
  const floor =
    minConcurrency === 0 ? "Scales to zero when idle" : `Keeps ${minConcurrency} running when idle`;
  return `${floor}, up to ${maxConcurrency} under load.`;
}

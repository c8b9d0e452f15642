// The keys that act on a deployment or a replica: asked first, then done, then told.

import { describeError } from "../../../base/product-error.ts";
import { formatRelativeTime } from "../../../base/relative-time.ts";
import { toOneLine } from "../../../base/seen-text.ts";
import type {
  AppDocument,
  DeployEvent,
  RevisionDocument,
  ScaleChange,
} from "../../../cloud/admin/documents.ts";
import type { ScaleSettings } from "../../../cloud/app-config.ts";
import type { Choice } from "../../frame/screen.ts";
import type { CloudServer } from "../cloud-access.ts";
import { noteWork, selectedApp, selectedReplica, selectNamed } from "./console-state.ts";
import { nameOf } from "./console-texts.ts";
import type { ConsoleContext } from "./pane-actions.ts";

export interface AppActionContext extends ConsoleContext {
  /** Opens a chat with a deployment. */
  readonly chatWith: (server: CloudServer, app: AppDocument) => Promise<void>;
}

/** Each returns a sentence to show, if there is something to tell. */
export class AppActions {
  readonly #context: AppActionContext;
  readonly #leaving = new AbortController();

  constructor(context: AppActionContext) {
    this.#context = context;
  }

  async chat(): Promise<string | undefined> {
    const { chatWith } = this.#context;
    const { app } = this.#target();
    if (app === undefined) return undefined;
    if (app.state === "PAUSED") return `${nameOf(app)} is stopped; x lets it run again`;
    await chatWith(this.#server, app);
    return undefined;
  }

  async showDetails(): Promise<undefined> {
    const { app } = this.#target();
    if (app === undefined) return;
    const server = this.#server;
    const name = nameOf(app);
    const [details, revisions, replicas] = await Promise.all([
      server.app(name),
      server.revisions(name),
      server.replicas(name),
    ]);
    const callLines = server.callLines(app, undefined);
    const facts = { details, revisions, replicas, callLines };
    this.#context.store.update({ details: { facts, top: 0 } });
  }

  async copyUrl(): Promise<string | undefined> {
    const { app } = this.#target();
    return app && (await this.#context.frame.copy(app.url));
  }

  async copyCalls(): Promise<string | undefined> {
    const { app } = this.#target();
    if (app === undefined) return undefined;
    return await this.#context.frame.copy(this.#server.callLines(app, undefined).join("\n"));
  }

  /** @param words a range, with or without a deployment's name in front; without a range one is asked for */
  async scale(words: string): Promise<string | undefined> {
    const { frame } = this.#context;
    const { app, rest } = this.#target(words);
    if (app === undefined) return undefined;
    const name = nameOf(app);
    const question = `Replicas of ${name}, from and to (MIN..MAX; reset: as the script says)`;
    const text = rest !== "" ? rest : await frame.ask(question, rangeText(app.scale));
    if (text === undefined) return undefined;
    const range = readRange(text, app.scale);
    if (range.kind === "wrong") return range.sentence;
    if (range.kind === "reset") {
      const { scale } = await this.#server.resetScale(name);
      this.#refresh();
      return `${name} scales as its script says: ${rangeText(scale)}`;
    }
    const effect = rangeEffect(range.change);
    const change = `Scale ${name} from ${rangeText(app.scale)} to ${text.trim()}?`;
    if (!(await frame.confirm(`${change} ${effect}`))) return undefined;
    const { scale } = await this.#server.scale(name, range.change);
    this.#refresh();
    return `${name} scales ${rangeText(scale)} from now on, whatever is deployed`;
  }

  /** @param words a revision or its beginning, with or without a deployment's name in front */
  async rollBack(words: string): Promise<string | undefined> {
    const { frame, now } = this.#context;
    const { app, rest } = this.#target(words);
    if (app === undefined) return undefined;
    const name = nameOf(app);
    frame.notify(`Asking for the revisions of ${name}`);
    const revisions = await this.#server.revisions(name);
    const usable = revisions.filter(
      ({ revision, state }) =>
        revision !== app.activeRevision && (state === "SUPERSEDED" || state === "RETIRED"),
    );
    if (usable.length === 0) return `${name} has no earlier revision to go back to`;
    const question = `Roll ${name} back from ${app.activeRevision ?? "none"} to`;
    let chosen: string | undefined;
    if (rest === "") {
      const choices = usable.map((other) => revisionChoice(other, now()));
      chosen = await frame.choose(question, choices);
    } else {
      const named = usable.filter(({ revision }) => revision.startsWith(rest));
      const [one] = named;
      if (one === undefined || named.length > 1) return `${name} has no earlier revision ${rest}`;
      if (await frame.confirm(`${question} ${one.revision}?`)) chosen = one.revision;
    }
    return chosen && (await this.#activate(name, chosen));
  }

  /** @param words a deployment's name; empty: the selected one */
  async stopOrResume(words: string): Promise<string | undefined> {
    const { frame } = this.#context;
    const { app, rest } = this.#target(words);
    if (rest !== "") return unknownApp(rest);
    if (app === undefined) return undefined;
    const name = nameOf(app);
    if (app.state === "PAUSED") {
      await this.#server.resume(name);
      this.#refresh();
      return `${name} answers again`;
    }
    const question = `Stop ${name}? ${stopEffect(app.replicas.alive)} x lets it run again.`;
    if (!(await frame.confirm(question))) return undefined;
    await this.#server.pause(name);
    this.#refresh();
    return `${name} is stopped; x lets it run again`;
  }

  /** The name has to be typed. @param words as for `stopOrResume` */
  async remove(words: string): Promise<string | undefined> {
    const { app, rest } = this.#target(words);
    if (rest !== "") return unknownApp(rest);
    if (app === undefined) return undefined;
    const name = nameOf(app);
    const question = `Delete ${name} with its revisions for good? ${app.url} will answer 410. Type ${app.app} to delete it`;
    const typed = (await this.#context.frame.ask(question))?.trim();
    if (typed === undefined) return undefined;
    if (typed !== app.app && typed !== name) {
      return `'${typed}' is not ${app.app}: nothing was deleted`;
    }
    await this.#server.deleteApp(name);
    this.#refresh();
    return `${name} is deleted`;
  }

  async stopReplica(): Promise<string | undefined> {
    const { store, frame } = this.#context;
    const selected = selectedReplica(store.get());
    if (selected === undefined) return undefined;
    const { replica, inFlight } = selected;
    const first = inFlight === 0 ? "" : ` Its ${inFlight} requests are finished first.`;
    const chosen = await frame.choose(`Stop replica ${replica}?${first}`, [
      { value: "keep", title: "No, leave it alone" },
      { value: "replace", title: "Yes, once another has taken its place" },
      { value: "end", title: "Yes, without another in its place" },
    ]);
    if (chosen === undefined || chosen === "keep") return undefined;
    await this.#server.stopReplica(replica, { replace: chosen === "replace" });
    this.#refresh();
    return `${replica} is on its way out`;
  }

  /** A roll-back that is under way goes on without the console. */
  close(): void {
    this.#leaving.abort();
  }

  get #server(): CloudServer {
    return this.#context.feed.server;
  }

  #refresh(): void {
    void this.#context.feed.refresh();
  }

  /** The selected deployment, after the one that the words begin with has been selected. */
  #target(words = ""): { readonly app: AppDocument | undefined; readonly rest: string } {
    const { store } = this.#context;
    const { state, rest } = selectNamed(store.get(), words);
    if (state !== store.get()) store.update(state);
    return { app: selectedApp(state), rest };
  }

  async #activate(app: string, revision: string): Promise<string | undefined> {
    const { signal } = this.#leaving;
    this.#noteWork(app, "begins");
    try {
      for await (const event of this.#server.activate(app, revision, signal)) {
        if (event.kind === "phase") this.#noteWork(app, `${event.phase}: ${event.sentence}`);
        const ending = endingOf(app, event);
        if (ending !== undefined) return ending;
      }
      if (signal.aborted) return undefined;
      return `The control plane ended without telling how it went with ${app}`;
    } catch (error) {
      return signal.aborted ? undefined : describeError(error);
    } finally {
      this.#noteWork(app, undefined);
      this.#refresh();
    }
  }

  #noteWork(app: string, sentence: string | undefined): void {
    const { store } = this.#context;
    store.update(noteWork(store.get(), app, sentence));
  }
}

function unknownApp(name: string): string {
  return `There is no deployment called '${name}'`;
}

function stopEffect(alive: number): string {
  if (alive === 0) return "Requests are refused from then on.";
  return alive === 1
    ? "Its replica finishes what it has and ends; further requests are refused."
    : `Its ${alive} replicas finish what they have and end; further requests are refused.`;
}

function endingOf(app: string, event: DeployEvent): string | undefined {
  if (event.kind === "done") return `${app} serves ${event.result.revision}`;
  return event.kind === "failed" ? `${app} stays as it was: ${event.sentence}` : undefined;
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

type TypedRange =
  | { readonly kind: "range"; readonly change: ScaleChange }
  /** Back to what the revision says. */
  | { readonly kind: "reset" }
  | { readonly kind: "wrong"; readonly sentence: string };

const replicasMaximum = 10_000;

/** `1..4`, `1-4`, `4` for the largest number alone, `reset`. */
export function readRange(text: string, scale: ScaleSettings): TypedRange {
  const typed = text.trim().toLowerCase();
  if (typed === "reset") return { kind: "reset" };
  const [, low, high] = /^(?:(\d{1,5})\s*(?:\.\.|-|to)\s*)?(\d{1,5})$/.exec(typed) ?? [];
  if (high === undefined) {
    return { kind: "wrong", sentence: `'${text}' is no range; type one such as 0..4, or reset` };
  }
  const maxConcurrency = Number(high);
  const minConcurrency = low === undefined ? scale.minConcurrency : Number(low);
  if (maxConcurrency < 1 || maxConcurrency > replicasMaximum) {
    return {
      kind: "wrong",
      sentence: `At most ${high} replicas is out of range; 1 to ${replicasMaximum} can be`,
    };
  }
  if (minConcurrency > maxConcurrency) {
    return { kind: "wrong", sentence: `${minConcurrency} is more than ${maxConcurrency}` };
  }
  return { kind: "range", change: { minConcurrency, maxConcurrency } };
}

function rangeText({ minConcurrency, maxConcurrency }: ScaleSettings): string {
  return `${minConcurrency}..${maxConcurrency}`;
}

/** Explains a range before it is set. */
export function rangeEffect({ minConcurrency = 0, maxConcurrency = 1 }: ScaleChange): string {
  const floor =
    minConcurrency === 0
      ? "No replica is kept while nobody asks"
      : `${minConcurrency} ${minConcurrency === 1 ? "is" : "are"} kept while nobody asks`;
  return `${floor}, and at most ${maxConcurrency} run.`;
}

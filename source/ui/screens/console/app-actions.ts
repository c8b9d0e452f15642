// What can be done about deployments and their replicas: asked first, then ordered, then told.

import { describeError } from "../../../base/product-error.ts";
import { formatRelativeTime } from "../../../base/relative-time.ts";
import { toOneLine } from "../../../base/seen-text.ts";
import type {
  AppDocument,
  DeployEvent,
  ReplicaDocument,
  RevisionDocument,
} from "../../../cloud/admin/documents.ts";
import type { FrameServices } from "../../frame/screen.ts";
import type { CloudServer } from "../cloud-access.ts";
import { nameOf } from "./app-figures.ts";
import { rangeEffect, rangeText, readRange } from "./scale-range.ts";

export interface AppActionOptions {
  readonly server: () => CloudServer;
  readonly frame: FrameServices;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Something was changed: what is shown is read again. */
  readonly onDone: () => void;
  /** What a deployment that was set going is at; undefined when it has ended. */
  readonly onWork: (app: string, sentence: string | undefined) => void;
}

export class AppActions {
  readonly #options: AppActionOptions;
  readonly #leaving = new AbortController();

  constructor(options: AppActionOptions) {
    this.#options = options;
  }

  /** @param typed a range; empty asks for one */
  async scale(app: AppDocument, typed: string): Promise<string | undefined> {
    const { server, frame, onDone } = this.#options;
    const name = nameOf(app);
    const question = `Replicas of ${name}, from and to (MIN..MAX; reset: as the script says)`;
    const text = typed.trim() !== "" ? typed : await frame.ask(question, rangeText(app.scale));
    if (text === undefined) return undefined;
    const range = readRange(text, app.scale);
    if (range.kind === "wrong") return range.sentence;
    if (range.kind === "reset") {
      const { scale } = await server().resetScale(name);
      onDone();
      return `${name} scales as its script says: ${rangeText(scale)}`;
    }
    const effect = rangeEffect(range.change);
    if (
      !(await frame.confirm(
        `Scale ${name} from ${rangeText(app.scale)} to ${text.trim()}? ${effect}`,
      ))
    )
      return undefined;
    const { scale } = await server().scale(name, range.change);
    onDone();
    return `${name} scales ${rangeText(scale)} from now on, whatever is deployed`;
  }

  /** @param typed a revision, or the beginning of its name; empty asks for one */
  async rollBack(app: AppDocument, typed: string): Promise<string | undefined> {
    const { server, frame, now } = this.#options;
    const name = nameOf(app);
    frame.notify(`Asking for the revisions of ${name}`);
    const revisions = await server().revisions(name);
    const others = revisions.filter(({ revision }) => revision !== app.activeRevision);
    const usable = others.filter(({ state }) => state === "SUPERSEDED" || state === "RETIRED");
    if (usable.length === 0) return `${name} has no earlier revision to go back to`;
    const before = app.activeRevision ?? "none";
    const named = typed === "" ? [] : usable.filter(({ revision }) => revision.startsWith(typed));
    if (typed !== "" && named.length !== 1) return `${name} has no earlier revision ${typed}`;
    const [one] = named;
    const question = `Roll ${name} back from ${before} to`;
    const chosen =
      one === undefined
        ? await frame.choose(
            question,
            usable.map((other) => revisionChoice(other, now())),
          )
        : (await frame.confirm(`${question} ${one.revision}?`)) && one.revision;
    if (chosen === undefined || chosen === false) return undefined;
    return await this.#follow(name, server().activate(name, chosen, this.#leaving.signal));
  }

  async stopOrResume(app: AppDocument): Promise<string | undefined> {
    const { server, frame, onDone } = this.#options;
    const name = nameOf(app);
    if (app.state === "PAUSED") {
      await server().resume(name);
      onDone();
      return `${name} answers again`;
    }
    const { alive } = app.replicas;
    const effect =
      alive === 0
        ? "Requests are refused from then on."
        : `Its ${alive === 1 ? "replica finishes what it has" : `${alive} replicas finish what they have`} and ${alive === 1 ? "ends" : "end"}; further requests are refused.`;
    if (!(await frame.confirm(`Stop ${name}? ${effect} x lets it run again.`))) return undefined;
    await server().pause(name);
    onDone();
    return `${name} is stopped; x lets it run again`;
  }

  /** Only who types the name can mean it. */
  async remove(app: AppDocument): Promise<string | undefined> {
    const { server, frame, onDone } = this.#options;
    const name = nameOf(app);
    const question = `Delete ${name} with its revisions for good? ${app.url} will answer 410. Type ${app.app} to delete it`;
    const typed = await frame.ask(question);
    if (typed === undefined) return undefined;
    if (typed.trim() !== app.app && typed.trim() !== name) {
      return `'${typed.trim()}' is not ${app.app}: nothing was deleted`;
    }
    await server().deleteApp(name);
    onDone();
    return `${name} is deleted`;
  }

  async stopReplica(replica: ReplicaDocument): Promise<string | undefined> {
    const { server, frame, onDone } = this.#options;
    const { inFlight } = replica;
    const first = inFlight === 0 ? "" : ` Its ${inFlight} requests are finished first.`;
    const chosen = await frame.choose(`Stop replica ${replica.replica}?${first}`, [
      { value: "keep", title: "No, leave it alone" },
      { value: "replace", title: "Yes, once another has taken its place" },
      { value: "end", title: "Yes, without another in its place" },
    ]);
    if (chosen === undefined || chosen === "keep") return undefined;
    await server().stopReplica(replica.replica, { replace: chosen === "replace" });
    onDone();
    return `${replica.replica} is on its way out`;
  }

  /** A deployment that is under way goes on without us. */
  close(): void {
    this.#leaving.abort();
  }

  async #follow(app: string, events: AsyncIterable<DeployEvent>): Promise<string | undefined> {
    const { onWork, onDone } = this.#options;
    onWork(app, "begins");
    try {
      for await (const event of events) {
        const end = this.#take(app, event);
        if (end !== undefined) return end;
      }
      return this.#leaving.signal.aborted
        ? undefined
        : `The control plane ended without telling how it went with ${app}`;
    } catch (error) {
      return this.#leaving.signal.aborted ? undefined : describeError(error);
    } finally {
      onWork(app, undefined);
      onDone();
    }
  }

  #take(app: string, event: DeployEvent): string | undefined {
    const { onWork } = this.#options;
    switch (event.kind) {
      case "phase":
        onWork(app, `${event.phase}: ${event.sentence}`);
        return undefined;
      case "log":
      case "warning":
        return undefined;
      case "done":
        return `${app} serves ${event.result.revision}`;
      case "failed":
        return `${app} stays as it was: ${event.sentence}`;
    }
  }
}

function revisionChoice(
  { revision, createdAt, message, isPinned }: RevisionDocument,
  now: number,
): { value: string; title: string; note: string } {
  const about = [isPinned ? "pinned" : "", toOneLine(message ?? "")]
    .filter((text) => text !== "")
    .join(", ");
  return {
    value: revision,
    title: about === "" ? revision : `${revision}  ${about}`,
    note: formatRelativeTime(createdAt, now),
  };
}

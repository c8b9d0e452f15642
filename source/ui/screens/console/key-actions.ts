// The keys that act on API keys: made, rotated, revoked, copied. A token is shown once.

import type { AppDocument, KeyScope, NewKeyDocument } from "../../../cloud/admin/documents.ts";
import type { Choice } from "../../frame/screen.ts";
import { selectedApp, selectedKey } from "./console-state.ts";
import { keyName, nameOf } from "./console-texts.ts";
import type { ConsoleContext } from "./pane-actions.ts";

const hourMs = 3_600_000;
const lives: readonly (Choice & { readonly ms: number | undefined })[] = [
  { value: "never", title: "Never", ms: undefined },
  { value: "day", title: "In 24 hours", ms: 24 * hourMs },
  { value: "month", title: "In 30 days", ms: 30 * 24 * hourMs },
  { value: "year", title: "In a year", ms: 365 * 24 * hourMs },
];
const graces: readonly (Choice & { readonly ms: number })[] = [
  { value: "day", title: "24 hours: callers have time to change", ms: 24 * hourMs },
  { value: "hour", title: "One hour", ms: hourMs },
  { value: "none", title: "Not at all: it is refused at once", ms: 0 },
];

/** Each returns a sentence to show, if there is something to tell. */
export class KeyActions {
  readonly #context: ConsoleContext;

  constructor(context: ConsoleContext) {
    this.#context = context;
  }

  /** The key may be for the selected deployment alone. */
  async make(): Promise<undefined> {
    const { store, frame, feed } = this.#context;
    const app = selectedApp(store.get());
    const use = await frame.choose("A key for", usesOf(app));
    if (use === undefined) return;
    const description = await frame.ask("What is it for? A name such as ci or laptop", "");
    if (description === undefined) return;
    const life = await frame.choose("It expires", lives);
    if (life === undefined) return;
    const forApp = use === "app" && app !== undefined;
    const scope: KeyScope = use === "read" ? "api:read" : use === "admin" ? "admin" : "api";
    const made = await feed.server.createKey({
      scope,
      ...(forApp && { apps: [app.app], organisation: app.organisation }),
      description: description.trim() === "" ? undefined : description.trim(),
      expiresInMs: lives.find(({ value }) => value === life)?.ms,
    });
    this.#show(made);
  }

  async rotate(): Promise<undefined> {
    const { store, frame, feed } = this.#context;
    const key = selectedKey(store.get());
    if (key === undefined) return;
    const question = `A new token for ${keyName(key)}; the old one works on`;
    const chosen = await frame.choose(question, graces);
    const grace = graces.find(({ value }) => value === chosen);
    if (grace !== undefined) this.#show(await feed.server.rotateKey(key.id, grace.ms));
  }

  async revoke(): Promise<string | undefined> {
    const { store, frame, feed } = this.#context;
    const key = selectedKey(store.get());
    if (key === undefined) return undefined;
    if (key.state === "revoked") return `${keyName(key)} is revoked already`;
    const chosen = await frame.choose(`Revoke ${keyName(key)}? It cannot be taken back`, [
      { value: "keep", title: "No, leave it alone" },
      { value: "soft", title: "Yes; requests that run under it may end" },
      { value: "hard", title: "Yes, and cut the requests that run under it" },
    ]);
    if (chosen === undefined || chosen === "keep") return undefined;
    await feed.server.revokeKey(key.id, chosen === "hard");
    void feed.refresh();
    return `${keyName(key)} is revoked`;
  }

  async copyId(): Promise<string | undefined> {
    const { store, frame } = this.#context;
    const key = selectedKey(store.get());
    return key && (await frame.copy(key.id));
  }

  /** Copies the token of the key that was just made. */
  async copyMade(): Promise<string | undefined> {
    const { store, frame } = this.#context;
    const { made } = store.get();
    if (made === undefined) return undefined;
    const told = await frame.copy(made.document.token);
    store.update({ made: { ...made, isCopied: true } });
    return told;
  }

  closeMade(): undefined {
    this.#context.store.update({ made: undefined });
  }

  #show(document: NewKeyDocument): void {
    const { store, feed } = this.#context;
    store.update({ made: { document, isCopied: false } });
    void feed.refresh();
  }
}

function usesOf(app: AppDocument | undefined): Choice[] {
  return [
    ...(app === undefined ? [] : [{ value: "app", title: `Calling ${nameOf(app)} alone` }]),
    { value: "all", title: "Calling all apps" },
    { value: "read", title: "Reading alone: GET requests to all apps" },
    { value: "admin", title: "Everything: commands to this server as well" },
  ];
}

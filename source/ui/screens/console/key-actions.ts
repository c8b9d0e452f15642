// Actions on API keys: create, rotate, revoke, copy. A token is shown only once.

import type { NewKeyDocument } from "../../../cloud/admin/documents.ts";
import { selectedApp, selectedKey } from "./console-state.ts";
import { keyName, nameOf } from "./console-texts.ts";
import type { ConsoleContext } from "./pane-actions.ts";

const hourMs = 3_600_000;
const lives = [
  { value: "never", title: "Never", ms: undefined },
  { value: "day", title: "In 24 hours", ms: 24 * hourMs },
  { value: "month", title: "In 30 days", ms: 30 * 24 * hourMs },
  { value: "year", title: "In a year", ms: 365 * 24 * hourMs },
];
const graces = [
  { value: "day", title: "24 hours, so that callers can switch", ms: 24 * hourMs },
  { value: "hour", title: "One hour", ms: hourMs },
  { value: "none", title: "No time: it stops working at once", ms: 0 },
];
const uses = [
  { value: "all", title: "Call all apps of main" },
  { value: "read", title: "Read only: GET requests to all apps of main" },
  { value: "admin", title: "Admin: call all apps and manage this server" },
];

/** Creates a key, for the selected deployment or for all. */
export async function makeKey(context: ConsoleContext): Promise<undefined> {
  const { state, frame, feed } = context;
  const app = selectedApp(state);
  const own = app === undefined ? [] : [{ value: "app", title: `Call ${nameOf(app)} only` }];
  const use = await frame.choose("Create a key to", [...own, ...uses]);
  if (use === undefined) return;
  const description = await frame.ask("Name of the key, such as ci or laptop", "");
  if (description === undefined) return;
  const life = await frame.choose("Key expires", lives);
  if (life === undefined) return;
  const made = await feed.server.client.createKey({
    scope: use === "read" ? "api:read" : use === "admin" ? "admin" : "api",
    ...(use === "app" && app && { apps: [app.app], organisation: app.organisation }),
    description: description.trim() || undefined,
    expiresInMs: lives.find(({ value }) => value === life)?.ms,
  });
  show(context, made);
}

export async function rotateKey(context: ConsoleContext): Promise<undefined> {
  const { state, frame, feed } = context;
  const key = selectedKey(state);
  if (key === undefined) return;
  const question = `Rotate ${keyName(key)}? The old token works for`;
  const chosen = await frame.choose(question, graces);
  const grace = graces.find(({ value }) => value === chosen);
  if (grace !== undefined)
    show(context, await feed.server.client.rotateKey(key.id, { graceMs: grace.ms }));
}

export async function revokeKey({
  state,
  frame,
  feed,
}: ConsoleContext): Promise<string | undefined> {
  const key = selectedKey(state);
  if (key === undefined) return undefined;
  if (key.state === "revoked") return `${keyName(key)} is already revoked`;
  const chosen = await frame.choose(`Revoke ${keyName(key)}? This cannot be undone`, [
    { value: "keep", title: "No, keep it" },
    { value: "soft", title: "Yes, let its running requests finish" },
    { value: "hard", title: "Yes, and cancel its running requests" },
  ]);
  if (chosen === undefined || chosen === "keep") return undefined;
  await feed.server.client.revokeKey(key.id, { hard: chosen === "hard" });
  void feed.refresh();
  return `${keyName(key)} is revoked`;
}

export async function copyKeyId({ state, frame }: ConsoleContext): Promise<string | undefined> {
  const key = selectedKey(state);
  return key && (await frame.copy(key.id));
}

export async function copyNewKey(context: ConsoleContext): Promise<string | undefined> {
  const { made } = context.state;
  if (made === undefined) return undefined;
  const told = await context.frame.copy(made.document.token);
  context.store.update({ made: { ...made, isCopied: true } });
  return told;
}

export function closeNewKey({ store }: ConsoleContext): undefined {
  store.update({ made: undefined });
}

function show({ store, feed }: ConsoleContext, document: NewKeyDocument): void {
  store.update({ made: { document, isCopied: false } });
  void feed.refresh();
}

// What can be done about keys: made, rotated, revoked. A token is handed over once.

import type {
  AppDocument,
  KeyDocument,
  KeyScope,
  NewKeyDocument,
} from "../../../cloud/admin/documents.ts";
import type { Choice, FrameServices } from "../../frame/screen.ts";
import type { CloudServer } from "../cloud-access.ts";
import { nameOf } from "./app-figures.ts";
import { keyName } from "./key-columns.ts";

export interface KeyActionOptions {
  readonly server: () => CloudServer;
  readonly frame: FrameServices;
  readonly onMade: (made: NewKeyDocument) => void;
  readonly onDone: () => void;
}

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

export class KeyActions {
  readonly #options: KeyActionOptions;

  constructor(options: KeyActionOptions) {
    this.#options = options;
  }

  /** @param app the one that is looked at, which the key may be for alone */
  async make(app: AppDocument | undefined): Promise<string | undefined> {
    const { server, frame, onMade, onDone } = this.#options;
    const use = await frame.choose("A key for", usesOf(app));
    if (use === undefined) return undefined;
    const description = await frame.ask("What is it for? A name such as ci or laptop", "");
    if (description === undefined) return undefined;
    const life = await frame.choose("It expires", lives);
    if (life === undefined) return undefined;
    const forApp = use === "app" && app !== undefined;
    const scope: KeyScope =
      use === "app" ? "api" : use === "read" ? "api:read" : use === "admin" ? "admin" : "api";
    const made = await server().createKey({
      scope,
      ...(forApp && { apps: [app.app], organisation: app.organisation }),
      description: description.trim() === "" ? undefined : description.trim(),
      expiresInMs: lives.find(({ value }) => value === life)?.ms,
    });
    onMade(made);
    onDone();
    return undefined;
  }

  async rotate(key: KeyDocument): Promise<string | undefined> {
    const { server, frame, onMade, onDone } = this.#options;
    const chosen = await frame.choose(
      `A new token for ${keyName(key)}; the old one works on`,
      graces,
    );
    const grace = graces.find(({ value }) => value === chosen);
    if (grace === undefined) return undefined;
    onMade(await server().rotateKey(key.id, grace.ms));
    onDone();
    return undefined;
  }

  async revoke(key: KeyDocument): Promise<string | undefined> {
    const { server, frame, onDone } = this.#options;
    if (key.state === "revoked") return `${keyName(key)} is revoked already`;
    const chosen = await frame.choose(`Revoke ${keyName(key)}? It cannot be taken back`, [
      { value: "keep", title: "No, leave it alone" },
      { value: "soft", title: "Yes; requests that run under it may end" },
      { value: "hard", title: "Yes, and cut the requests that run under it" },
    ]);
    if (chosen === undefined || chosen === "keep") return undefined;
    await server().revokeKey(key.id, chosen === "hard");
    onDone();
    return `${keyName(key)} is revoked`;
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

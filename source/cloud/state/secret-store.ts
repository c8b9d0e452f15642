// Encrypted store of an organisation's secrets, an app's variables, and values frozen with a
// revision.
import type { Clock } from "../../base/clock.ts";
import { quoteShort } from "../../base/display-text.ts";
import { ProductError } from "../../base/product-error.ts";
import { environmentOf, mainEnvironment } from "../app-name.ts";
import { cloudErrors } from "../errors.ts";
import type { AppKey, RevisionKey } from "./app-records.ts";
import type { StateDatabase } from "./database.ts";
import type { SecretBox } from "./secret-box.ts";

/** Owner of a value; empty parts mean "all". */
interface Place {
  kind: "secret" | "variable" | "frozen";
  organisation: string;
  app: string;
  revision: string;
}

/** Owner of secrets. */
export interface SecretOwner {
  organisation: string;
  environment: string;
}

export interface StoredName {
  name: string;
  updatedAt: number;
}

/** Names of environment variables, as in POSIX. */
const variablePattern = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** Limit for a value; Linux rejects variables above 128 KiB. */
const largestValueBytes = 65_536;

const inPlace = "organisation = ? AND app = ? AND revision = ? AND kind = ?";

function columnsOf({ organisation, app, revision, kind }: Place): string[] {
  return [organisation, app, revision, kind];
}

/** Returns true when encrypted values are stored. */
export function hasSecrets(database: StateDatabase): boolean {
  return database.get("SELECT 1 FROM secrets LIMIT 1") !== undefined;
}

export class SecretStore {
  readonly #database: StateDatabase;
  readonly #box: SecretBox;
  readonly #clock: Clock;

  constructor(database: StateDatabase, box: SecretBox, clock: Clock) {
    this.#database = database;
    this.#box = box;
    this.#clock = clock;
  }

  /**
   * Decrypts one value as a check. @throws ProductError `CLOUD_STATE_UNUSABLE` when the key does
   * not match
   */
  examine(): void {
    const row = this.#database.get(
      "SELECT organisation, app, revision, kind, name FROM secrets LIMIT 1",
    );
    if (row === undefined) return;
    const { organisation, app, revision, kind, name } = row;
    this.#read(
      {
        organisation: String(organisation),
        app: String(app),
        revision: String(revision),
        // Only the three kinds are ever stored.
        kind: String(kind) as Place["kind"],
      },
      String(name),
    );
  }

  secrets(owner: SecretOwner): StoredName[] {
    return this.#names(secretPlace(owner));
  }

  /** @throws ProductError `CLOUD_REQUEST_INVALID` */
  setSecret(owner: SecretOwner, name: string, value: string): void {
    this.#write(secretPlace(owner), name, value);
  }

  /** @throws ProductError `CLOUD_SECRET_UNKNOWN` */
  deleteSecret(owner: SecretOwner, name: string): void {
    this.#delete(secretPlace(owner), name);
  }

  /** Returns the secret of an app's environment. */
  secret({ organisation, app }: AppKey, name: string): string | undefined {
    return this.#read(secretPlace({ organisation, environment: environmentOf(app) }), name);
  }

  variables(app: AppKey): (StoredName & { value: string })[] {
    const place = variablePlace(app);
    return this.#names(place).map((stored) => ({
      ...stored,
      value: this.#read(place, stored.name) ?? "",
    }));
  }

  /** Sets all of them or none. @throws ProductError `CLOUD_REQUEST_INVALID` */
  setVariables(app: AppKey, values: Record<string, string>): void {
    this.#database.transaction(() => {
      for (const [name, value] of Object.entries(values)) {
        this.#write(variablePlace(app), name, value);
      }
    });
  }

  /** @throws ProductError `CLOUD_SECRET_UNKNOWN` */
  deleteVariable(app: AppKey, name: string): void {
    this.#delete(variablePlace(app), name);
  }

  /** Stores values for one revision. @throws ProductError `CLOUD_REQUEST_INVALID` */
  freeze(revision: RevisionKey, values: Record<string, string>): void {
    for (const [name, value] of Object.entries(values)) {
      this.#write(frozenPlace(revision), name, value);
    }
  }

  frozen(revision: RevisionKey): Record<string, string> {
    const place = frozenPlace(revision);
    return Object.fromEntries(
      this.frozenNames(revision).map((name) => [name, this.#read(place, name) ?? ""]),
    );
  }

  frozenNames(revision: RevisionKey): string[] {
    return this.#names(frozenPlace(revision)).map(({ name }) => name);
  }

  /** Removes the secrets of an environment. */
  forgetEnvironment(owner: SecretOwner): void {
    this.forget(secretPlace(owner));
  }

  /** Removes all values of an app, or of one of its revisions. */
  forget(owner: AppKey & { revision?: string }): void {
    const { organisation, app, revision } = owner;
    this.#database.run(
      "DELETE FROM secrets WHERE organisation = ? AND app = ? AND (? IS NULL OR revision = ?)",
      [organisation, app, revision ?? null, revision ?? null],
    );
  }

  /** Returns a keyed hash that is the same for the same values and does not reveal them. */
  fingerprint(values: Record<string, string>): string {
    return this.#box.fingerprint(JSON.stringify(Object.entries(values).sort()));
  }

  #names(place: Place): StoredName[] {
    return this.#database
      .all(`SELECT name, updated_at FROM secrets WHERE ${inPlace} ORDER BY name`, columnsOf(place))
      .map((row) => ({ name: String(row.name), updatedAt: Number(row.updated_at) }));
  }

  #read(place: Place, name: string): string | undefined {
    const row = this.#database.get(`SELECT sealed FROM secrets WHERE ${inPlace} AND name = ?`, [
      ...columnsOf(place),
      name,
    ]);
    if (!(row?.sealed instanceof Uint8Array)) return undefined;
    return this.#box.open(row.sealed, sealPlace(place, name));
  }

  #write(place: Place, name: string, value: string): void {
    checkVariable(name, value);
    this.#database.run(
      "INSERT OR REPLACE INTO secrets (organisation, app, revision, kind, name, sealed, updated_at) VALUES (?,?,?,?,?,?,?)",
      [
        ...columnsOf(place),
        name,
        this.#box.seal(value, sealPlace(place, name)),
        this.#clock.wallMs(),
      ],
    );
  }

  #delete(place: Place, name: string): void {
    const changes = this.#database.run(`DELETE FROM secrets WHERE ${inPlace} AND name = ?`, [
      ...columnsOf(place),
      name,
    ]);
    if (changes > 0) return;
    const what = place.kind === "secret" ? "secret" : "variable";
    throw new ProductError(cloudErrors.secretUnknown, {
      message: `No ${what} is named ${quoteShort(name)}.`,
      hint:
        what === "secret"
          ? "Run `deployctl secrets list` to see all names."
          : `Run \`deployctl env list ${place.app}\` to see all names.`,
    });
  }
}

/** @throws ProductError `CLOUD_REQUEST_INVALID`, which never quotes the value */
export function checkVariable(name: string, value: string): void {
  const fault = !variablePattern.test(name)
    ? `Invalid variable name ${quoteShort(name)}: use letters, digits and _, not starting with a digit`
    : value.includes("\0")
      ? `The value of ${name} contains a zero byte`
      : Buffer.byteLength(value) > largestValueBytes
        ? `The value of ${name} is larger than 64 KiB`
        : undefined;
  if (fault === undefined) return;
  throw new ProductError(cloudErrors.requestInvalid, { message: `${fault}.`, param: "name" });
}

/** No app has such a name; secrets of `main` are older than environments. */
function secretPlace({ organisation, environment }: SecretOwner): Place {
  const app = environment === mainEnvironment ? "" : `--${environment}`;
  return { kind: "secret", organisation, app, revision: "" };
}

function variablePlace({ organisation, app }: AppKey): Place {
  return { kind: "variable", organisation, app, revision: "" };
}

function frozenPlace({ organisation, app, revision }: RevisionKey): Place {
  return { kind: "frozen", organisation, app, revision };
}

function sealPlace({ kind, organisation, app, revision }: Place, name: string): string {
  return [kind, organisation, app, revision, name].join("/");
}

// Environments of organisations: names for separate apps, secrets and keys. `main` always exists.
import type { Clock } from "../../base/clock.ts";
import { ProductError } from "../../base/product-error.ts";
import type { EnvironmentDocument } from "../admin/documents.ts";
import {
  checkEnvironment,
  environmentOf,
  environmentUnknown,
  mainEnvironment,
} from "../app-name.ts";
import { cloudErrors } from "../errors.ts";
import type { StateDatabase } from "./database.ts";

export class EnvironmentRecords {
  readonly #database: StateDatabase;
  readonly #clock: Clock;

  constructor(database: StateDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Lists `main` first, the others by name. */
  list(organisation: string): EnvironmentDocument[] {
    const rows = this.#database.all(
      "SELECT * FROM environments WHERE organisation = ? ORDER BY name",
      [organisation],
    );
    const main = {
      organisation,
      name: mainEnvironment,
      description: undefined,
      createdAt: undefined,
    };
    const others = rows.map((row) => ({
      organisation,
      name: String(row.name),
      description: String(row.description) || undefined,
      createdAt: Number(row.created_at),
    }));
    return [main, ...others].map((each) => ({ ...each, apps: this.#appsOf(each).length }));
  }

  /** @throws ProductError `CLOUD_NAME_INVALID`, `CLOUD_CONFLICT` */
  create(organisation: string, name: string, description = ""): EnvironmentDocument {
    checkEnvironment(name);
    const isTaken = this.#has(organisation, name);
    // An app of that name may be older than environments.
    const [app] = this.#appsOf({ organisation, name });
    if (isTaken || app !== undefined) {
      throw new ProductError(cloudErrors.conflict, {
        message: isTaken
          ? `The environment ${name} exists already.`
          : `The app ${app} would belong to the environment ${name}.`,
        hint: "Choose another name.",
      });
    }
    const createdAt = this.#clock.wallMs();
    this.#database.run(
      "INSERT INTO environments (organisation, name, description, created_at) VALUES (?,?,?,?)",
      [organisation, name, description, createdAt],
    );
    return { organisation, name, description: description || undefined, createdAt, apps: 0 };
  }

  /** @throws ProductError `CLOUD_ENVIRONMENT_UNKNOWN`, `CLOUD_CONFLICT` while it has apps */
  remove(organisation: string, name: string): void {
    this.check(organisation, name);
    const apps = this.#appsOf({ organisation, name });
    if (name === mainEnvironment || apps.length > 0) {
      throw new ProductError(cloudErrors.conflict, {
        message:
          name === mainEnvironment
            ? "The environment main cannot be deleted."
            : `The environment ${name} still has apps: ${apps.join(", ")}.`,
        hint: "Delete its apps first with `deployctl apps delete`.",
      });
    }
    this.#database.run("DELETE FROM environments WHERE organisation = ? AND name = ?", [
      organisation,
      name,
    ]);
  }

  /** @throws ProductError `CLOUD_ENVIRONMENT_UNKNOWN` */
  check(organisation: string, name: string): void {
    if (this.#has(organisation, name)) return;
    throw environmentUnknown(name, this.list(organisation));
  }

  /** @throws ProductError `CLOUD_ENVIRONMENT_UNKNOWN` for an app of an environment that does not exist */
  checkApp({ organisation, app }: { organisation: string; app: string }): void {
    this.check(organisation, environmentOf(app));
  }

  #has(organisation: string, name: string): boolean {
    if (name === mainEnvironment) return true;
    const row = this.#database.get(
      "SELECT 1 FROM environments WHERE organisation = ? AND name = ?",
      [organisation, name],
    );
    return row !== undefined;
  }

  #appsOf({ organisation, name }: { organisation: string; name: string }): string[] {
    return this.#database
      .all("SELECT app FROM apps WHERE organisation = ? AND desired <> 'deleted' ORDER BY app", [
        organisation,
      ])
      .map((row) => String(row.app))
      .filter((app) => environmentOf(app) === name);
  }
}

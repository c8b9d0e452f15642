// List of models from known publishers: asked for once a day, kept for days without a network.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { type Static, Type } from "typebox";
import { Check } from "typebox/schema";
import { parseJson } from "../../../base/json.ts";
import { findRepository } from "../../../store/hub/fetch-model.ts";
import type { HubSettings } from "../../../store/hub/hub-settings.ts";
import { knownPublishers, listPublisher } from "../../../store/hub/list-publisher.ts";
import { listQuantizations } from "../../../store/hub/selection/list-quantizations.ts";
import { writeFileAtomically } from "../../../store/library/write-atomically.ts";
import { type SuitableModel, suitableModel } from "./suitable-model.ts";

const count = Type.Number({ minimum: 0 });
const ability = ["chat", "code", "tools", "vision", "embeddings"] as const;
const Model = Type.Object({
  repo: Type.String(),
  abilities: Type.Array(Type.Enum([...ability])),
  downloads: count,
  updatedMs: count,
  parameterCount: Type.Number({ exclusiveMinimum: 0 }),
  activeCount: Type.Number({ exclusiveMinimum: 0 }),
  selector: Type.String(),
  sizeBytes: count,
  isExact: Type.Boolean(),
});
const Kept = Type.Object({
  version: Type.Literal(1),
  endpoint: Type.String(),
  /** Since 1970. */
  readAtMs: count,
  models: Type.Array(Model),
});
type Kept = Static<typeof Kept>;

const dayMs = 24 * 3_600_000;

export interface Listing {
  models: readonly SuitableModel[];
  /** Milliseconds since 1970. */
  readAtMs: number;
}

export interface ListingWork {
  settings: HubSettings;
  signal: AbortSignal;
}

export class KeptListing {
  readonly #file: string;
  readonly #now: () => number;
  #reading: Promise<Listing> | undefined;

  /** @param cacheFolder modelctl's */
  constructor(cacheFolder: string, now: () => number = Date.now) {
    this.#file = path.join(cacheFolder, "hub-models.json");
    this.#now = now;
  }

  /** Returns the kept list of this hub, however old; a damaged one counts as missing. */
  async kept(endpoint: string): Promise<Listing | undefined> {
    const text = await readFile(this.#file, "utf8").catch(() => "");
    const value = parseJson(text);
    return Check(Kept, value) && value.endpoint === endpoint ? value : undefined;
  }

  isFresh({ readAtMs }: Listing): boolean {
    const ageMs = this.#now() - readAtMs;
    return ageMs >= 0 && ageMs < dayMs;
  }

  /**
   * Asks the hub, which concurrent calls share.
   *
   * @throws ProductError `STORE_HUB_...` if no publisher could be listed
   */
  async read(work: ListingWork): Promise<Listing> {
    this.#reading ??= this.#read(work).finally(() => {
      this.#reading = undefined;
    });
    return await this.#reading;
  }

  /**
   * Replaces estimated sizes by those of the files; a repository that cannot be listed is dropped.
   *
   * @throws ProductError `STORE_HUB_...` if none can be listed
   */
  async measured(
    listing: Listing,
    wanted: readonly SuitableModel[],
    work: ListingWork,
  ): Promise<Listing> {
    const results = await Promise.allSettled(wanted.map((model) => measuredModel(model, work)));
    const sizes = new Map(
      results.flatMap((result, index) => {
        const model = wanted[index];
        if (model === undefined) return [];
        return [[model.repo, result.status === "fulfilled" ? result.value : undefined] as const];
      }),
    );
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined && results.every(({ status }) => status === "rejected")) {
      throw failed.reason;
    }
    const models = listing.models.flatMap((model) => {
      if (!sizes.has(model.repo)) return [model];
      return sizes.get(model.repo) ?? [];
    });
    const now = { ...listing, models };
    await this.#keep(work.settings.endpoint, now);
    return now;
  }

  async #read(work: ListingWork): Promise<Listing> {
    const results = await Promise.allSettled(
      knownPublishers.map((publisher) => listPublisher(publisher, work)),
    );
    const found = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined && results.every(({ status }) => status === "rejected")) {
      throw failed.reason;
    }
    const models = found.flatMap((listed) => suitableModel(listed) ?? []);
    const listing = { models, readAtMs: this.#now() };
    await this.#keep(work.settings.endpoint, listing);
    return listing;
  }

  /** An unwritable cache costs only a question tomorrow. */
  async #keep(endpoint: string, { models, readAtMs }: Listing): Promise<void> {
    const kept: Kept = { version: 1, endpoint, readAtMs, models: [...models] };
    await writeFileAtomically(this.#file, `${JSON.stringify(kept)}\n`).catch(() => {});
  }
}

async function measuredModel(
  model: SuitableModel,
  work: ListingWork,
): Promise<SuitableModel | undefined> {
  const [owner = "", repo = ""] = model.repo.split("/");
  const choices = listQuantizations(await findRepository({ owner, repo }, work));
  const usual = choices.find(({ isDefault }) => isDefault);
  if (usual === undefined) return undefined;
  return { ...model, selector: usual.selector, sizeBytes: usual.totalBytes, isExact: true };
}

// Recommends models of the hub for this machine, or for one with less memory.
import { formatBytes, formatMemory } from "../../../base/formats.ts";
import { freeSpace } from "../../../base/free-space.ts";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { formatTally, type KnownRate, plural, roughSpan } from "../../../base/quantities.ts";
import { freeMemoryBytes } from "../../../engine/scheduler/memory-plan.ts";
import type { HubSettings } from "../../../store/hub/hub-settings.ts";
import { hubHosts } from "../../../store/model-reference.ts";
import type { MachineSpeed } from "../../speed/machine-speed.ts";
import type { KeptListing, Listing } from "./kept-listing.ts";
import {
  type Machine,
  type Purpose,
  type RankedModel,
  rankFor,
  reasonForNone,
  recommendedOf,
} from "./rank-models.ts";

export interface RecommendQuestion {
  /** Undefined: one model for each purpose. */
  purpose?: Purpose | undefined;
  /** Memory of another machine; undefined: what is free here. */
  memoryBytes?: number | undefined;
  signal: AbortSignal;
}

export interface RecommendServices {
  listing: KeptListing;
  speed: MachineSpeed;
  hub: () => Promise<HubSettings>;
  hubPrefixes: readonly string[];
  /** Folder of the model store. */
  storePath: string;
}

export interface Recommendation {
  purpose: Purpose;
  /** Reference to pull. */
  name: string;
  /** Size of the download. */
  sizeBytes: number;
  /** With a window of 8,192 tokens. */
  memoryBytes: number;
  /** Tokens per second; empty if nothing is known. */
  speed: KnownRate;
  /** Undefined if the system does not report it. */
  diskAfterBytes?: number;
  /** Size was estimated from the parameters. */
  isRough: boolean;
  why: string;
}

export interface Recommended {
  models: Recommendation[];
  /** When the hub was asked, milliseconds since 1970; undefined without a list. */
  readAtMs?: number;
  /** Why there is no list, an old one, or nothing in it that fits: a sentence each. */
  notes: string[];
}

/** Most models of one purpose. */
const maxOfPurpose = 5;
/** Sizes of the files may make other models the best ones. */
const maxRounds = 3;

/** Never throws for an unreachable hub: the kept list counts, and a note says so. */
export async function recommendModels(
  services: RecommendServices,
  question: RecommendQuestion,
): Promise<Recommended> {
  const { listing, speed, hub, storePath } = services;
  const work = { settings: await hub(), signal: question.signal };
  const notes: string[] = [];
  const [, known, diskBytes] = await Promise.all([
    speed.ensureMeasured(),
    listOf(listing, work, notes),
    freeSpace(storePath),
  ]);
  if (known === undefined) return { models: [], notes };
  const machine = await machineOf(speed, diskBytes, question.memoryBytes);
  const pick = (models: Listing["models"]) =>
    question.purpose === undefined
      ? recommendedOf(models, machine, Date.now())
      : rankFor(question.purpose, models, machine, Date.now()).slice(0, maxOfPurpose);
  let current = known;
  let picked = pick(current.models);
  for (let round = 0; round < maxRounds; round += 1) {
    const rough = picked.map(({ model }) => model).filter(({ isExact }) => !isExact);
    if (rough.length === 0 || work.settings.offline || !listing.isFresh(current)) break;
    try {
      current = await listing.measured(current, rough, work);
    } catch (error) {
      if (!(error instanceof ProductError)) throw error;
      break; // the sizes stay estimates, and are shown as such
    }
    picked = pick(current.models);
  }
  if (picked.length === 0) notes.push(noneSentence(current, machine));
  const [host = ""] = hubHosts(services.hubPrefixes);
  return {
    models: picked.map((ranked) => recommendationOf(ranked, host)),
    readAtMs: current.readAtMs,
    notes,
  };
}

/** Returns today's list, else the kept one with a note; undefined without any. */
async function listOf(
  listing: KeptListing,
  work: Parameters<KeptListing["read"]>[0],
  notes: string[],
): Promise<Listing | undefined> {
  const kept = await listing.kept(work.settings.endpoint);
  if (kept !== undefined && listing.isFresh(kept)) return kept;
  try {
    return await listing.read(work);
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    notes.push(describeError(error));
    if (kept !== undefined) notes.push(`The list is ${roughSpan(Date.now() - kept.readAtMs)} old.`);
    return kept;
  }
}

async function machineOf(
  speed: MachineSpeed,
  diskBytes: number | undefined,
  memoryBytes: number | undefined,
): Promise<Machine> {
  const cpu = speed.records.device("cpu");
  const gpu = speed.records.device("gpu");
  const isOther = memoryBytes !== undefined;
  return {
    memoryBytes: memoryBytes ?? freeMemoryBytes(),
    cardBytes: isOther ? undefined : await speed.cardBytes(),
    // Another machine has another disk.
    diskBytes: isOther ? undefined : diskBytes,
    cpu,
    gpu,
  };
}

function recommendationOf(ranked: RankedModel, host: string): Recommendation {
  const { model, purpose, memoryBytes, speed, diskAfterBytes } = ranked;
  const { repo, selector, sizeBytes, isExact } = model;
  return {
    purpose,
    name: `${host}/${repo}:${selector}`,
    sizeBytes,
    memoryBytes,
    speed,
    ...(diskAfterBytes !== undefined && { diskAfterBytes }),
    isRough: !isExact,
    why: whyOf(ranked),
  };
}

const reasons: Readonly<Record<Purpose, string>> = {
  best: "The best that is comfortable here",
  fast: "Answers fast",
  code: "Writes code and calls tools",
  vision: "Sees images",
  embeddings: "Turns texts into vectors",
};

function whyOf({ purpose, model }: RankedModel): string {
  const age = model.updatedMs === 0 ? "" : `, ${roughSpan(Date.now() - model.updatedMs)} old`;
  return `${reasons[purpose]}; ${formatTally(model.downloads)} downloads${age}`;
}

function noneSentence({ models }: Listing, machine: Machine): string {
  const reason = reasonForNone(models, machine);
  if (reason === undefined)
    return `The hub listed ${plural(models.length, "model")}, none to chat with.`;
  const { short, smallest } = reason;
  const what = `The smallest, ${smallest.repo}, needs`;
  switch (short) {
    case "memory":
      return `Nothing fits in ${formatMemory(machine.memoryBytes)} of free memory. ${what} ${formatMemory(smallest.sizeBytes)} and room for its window.`;
    case "disk":
      return `Nothing fits on the disk, which has ${formatBytes(machine.diskBytes ?? 0)} free. ${what} ${formatBytes(smallest.sizeBytes)} and 1 GB that stays free.`;
    case "speed":
      return "No model of this kind fits and answers at 8 tokens/s or more here.";
  }
}

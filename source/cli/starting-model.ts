// Model that a chat without a named one opens with: a setting, the one used last, or the best one here.
import { totalmem } from "node:os";
import type { SessionHead } from "../chat/sessions/session.ts";
import type { Flags } from "./flags.ts";
import type { CommandSettings } from "./session-settings.ts";

export const builtInModel = "tiny";

/** More are not tried: each is looked up on the disk before the screen opens. */
const maxTried = 5;
/** Slower answers are no pleasure to read. */
const leastTokensPerSecond = 8;
/** Models whose files are read; there are rarely more. */
const maxRead = 40;

/** A model that could be chatted with. */
export interface Candidate {
  readonly name: string;
  readonly sizeBytes: number;
  /** In free memory. */
  readonly fits: boolean;
  /** Measured or expected; undefined if nothing is known. */
  readonly tokensPerSecond: number | undefined;
}

/**
 * Returns the only model; else the largest that fits and answers fast enough, else the smallest that
 * fits. Undefined if none does.
 */
export function bestOf(candidates: readonly Candidate[]): Candidate | undefined {
  if (candidates.length === 1) return candidates[0];
  const fitting = candidates
    .filter(({ fits }) => fits)
    .toSorted((one, other) => other.sizeBytes - one.sizeBytes);
  const isFast = ({ tokensPerSecond = Number.POSITIVE_INFINITY }: Candidate) =>
    tokensPerSecond >= leastTokensPerSecond;
  return fitting.find(isFast) ?? fitting.at(-1);
}

/**
 * Returns the first model of the saved chats that can be used, or undefined.
 *
 * @param sessions last used first; chats with deployments do not count
 */
export async function lastUsable(
  sessions: readonly Pick<SessionHead, "model" | "deployment">[],
  isUsable: (model: string) => Promise<boolean>,
): Promise<string | undefined> {
  const local = sessions.filter(({ deployment }) => deployment === undefined);
  for (const model of [...new Set(local.map(({ model }) => model))].slice(0, maxTried)) {
    if (await isUsable(model)) return model;
  }
  return undefined;
}

/** The model of a chat. */
export interface StartingModel {
  readonly name: string;
  /** True if it is there because there is no other: better ones are offered. */
  readonly isLastResort: boolean;
}

/** Returns the setting `default_model`, the model used last, the best one of this machine, or `tiny`. */
export async function startingModel(
  flags: Flags,
  settings: CommandSettings,
): Promise<StartingModel> {
  const { default_model: wanted } = settings.values;
  if (wanted !== undefined) return { name: wanted, isLastResort: false };
  // The models of a named server are not these.
  if (flags.connect !== undefined) return { name: builtInModel, isLastResort: false };
  const last = await lastModel(flags, settings);
  if (last !== undefined && last !== builtInModel) return { name: last, isLastResort: false };
  const best = last === undefined ? await bestModel(flags) : undefined;
  const name = last ?? best ?? builtInModel;
  return { name, isLastResort: name === builtInModel && !(await hasOwnModels(flags)) };
}

async function hasOwnModels(flags: Flags): Promise<boolean> {
  const { openLibrary } = await import("./model-library.ts");
  const { models } = await openLibrary(flags).library.catalog.listModels({ withDetails: false });
  return models.some(({ origin }) => origin !== "built-in");
}

/** Returns the model used last whose file still exists and fits into this machine's memory. */
async function lastModel(
  flags: Flags,
  { values, paths }: CommandSettings,
): Promise<string | undefined> {
  if (values.nohistory) return undefined;
  const { SessionStore } = await import("../chat/sessions/session-store.ts");
  const { sessions } = await new SessionStore(paths.state).list();
  if (sessions.length === 0) return undefined;
  const { openLibrary } = await import("./model-library.ts");
  const { library } = openLibrary(flags);
  return await lastUsable(sessions, async (model) => {
    try {
      const { facts } = await library.catalog.resolve(model);
      return !facts.isEmbeddingOnly && facts.fileSize < totalmem();
    } catch {
      // It was deleted, or its file is gone.
      return false;
    }
  });
}

async function bestModel(flags: Flags): Promise<string | undefined> {
  const { openLibrary } = await import("./model-library.ts");
  const { library, settings } = openLibrary(flags);
  const { models } = await library.catalog.listModels({ withDetails: false });
  const own = models.filter(({ origin }) => origin !== "built-in").slice(0, maxRead);
  if (own.length === 0) return undefined;
  const { chatCandidates } = await import("../application/models/chat-candidates.ts");
  return bestOf(await chatCandidates(library, own, settings))?.name;
}

// Turns a stored model into one that can be loaded: checks its files, reads its texts.
import { basename } from "node:path";
import type { GgufCache } from "./gguf-cache.ts";
import { sizeOf } from "./manifest.ts";
import { detailsOfConfiguration, textIn } from "./model-details.ts";
import type { StoredManifest } from "./model-folder.ts";
import type { ModelStore } from "./model-store.ts";
import { noSettings, type ResolvedModel } from "./resolved-model.ts";
import { linkedParts } from "./split-model.ts";
import { locateFiles, type ModelContent, readContent, recordedFiles } from "./stored-content.ts";

/** Texts by their manifest, which is one object while its file stays the same. */
const contents = new WeakMap<StoredManifest["manifest"], ModelContent>();

/**
 * @param store our own, with its links and its findings about referenced files
 * @throws ProductError those of `readContent`, `locateFiles` and `readGgufFacts`
 */
export async function resolveStored(
  stored: StoredManifest,
  store: ModelStore,
  cache: GgufCache,
): Promise<ResolvedModel> {
  const { touched, ...files } = await locateFiles(stored, store.references);
  const { parts, projectors, adapters, drafts } = files;
  const content = contents.get(stored.manifest) ?? (await readContent(stored));
  contents.set(stored.manifest, content);
  const { configuration, ...said } = content;
  const { facts } = await cache.read(parts).catch(async (error: unknown) => {
    // A change of the file explains more than the errors in its new content.
    for (const file of touched) await file.check();
    throw error;
  });
  const [first] = drafts;
  const draft = first === undefined ? undefined : (await cache.read([first])).facts;
  const path = parts.length > 1 ? await linkedParts(parts, store.splitsFolder) : facts.path;
  return {
    ...noSettings(),
    ...said,
    name: stored.name.display,
    facts: { ...facts, path },
    parts,
    origin: "stored",
    store: stored.folder.kind,
    digest: stored.digest,
    sizeBytes: sizeOf(stored.manifest),
    modifiedAt: stored.modifiedAt,
    details: detailsOfConfiguration(configuration),
    projectors,
    adapters,
    drafts,
    draft: draft && { name: draft.name ?? basename(draft.path), facts: draft },
    touched,
    requires: textIn(configuration, "requires"),
    renderer: textIn(configuration, "renderer"),
    parser: textIn(configuration, "parser"),
  };
}

/**
 * Reads a model's texts: enough for its Modelfile, even if its weights are no longer at `parts`.
 */
export type RecordedModel = Omit<
  ResolvedModel,
  | "facts"
  | "origin"
  | "store"
  | "digest"
  | "sizeBytes"
  | "modifiedAt"
  | "details"
  | "examples"
  | "card"
  | "touched"
  | "draft"
>;

/** @throws ProductError those of `readContent` */
export async function readRecorded(stored: StoredManifest): Promise<RecordedModel> {
  const { configuration, ...said } = await readContent(stored);
  return {
    ...said,
    ...recordedFiles(stored),
    name: stored.name.display,
    requires: textIn(configuration, "requires"),
    renderer: textIn(configuration, "renderer"),
    parser: textIn(configuration, "parser"),
  };
}

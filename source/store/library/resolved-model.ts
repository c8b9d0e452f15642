// A model that can be loaded: its files, parameters and texts.
import type { GgufFacts } from "../gguf/gguf-facts.ts";
import type { StoredMessage } from "../model-definition.ts";
import type { ModelParameters } from "../model-parameters.ts";
import type { TouchedFile } from "./file-state.ts";
import type { ModelDetails } from "./model-details.ts";
import type { StoreKind } from "./model-folder.ts";

export type ModelOrigin = "built-in" | "stored" | "file";

export interface ResolvedModel {
  /** The listed name; for a file its absolute path. */
  name: string;
  /** `path` is the file to load; for a split model the first part, next to the others. */
  facts: GgufFacts;
  /** Absolute: the file of the weights, or all parts in order. */
  parts: string[];
  /** Its own defaults; a request overrides them. */
  parameters: ModelParameters;
  card: string | undefined;
  examples: readonly string[];
  origin: ModelOrigin;
  /** The store that it is in. */
  store: StoreKind | undefined;
  /** SHA-256 in 64 hex digits: of the manifest; of a built-in model's file; none for a file. */
  digest: string | undefined;
  /** Size of everything that belongs to it. */
  sizeBytes: number;
  modifiedAt: Date;
  details: ModelDetails;
  /** Absolute paths of the projectors for images or audio. */
  projectors: string[];
  adapters: string[];
  drafts: string[];
  /** Small model that drafts its answers: the first of `drafts`, or one that a request names. */
  draft: { name: string; facts: GgufFacts } | undefined;
  /** Files that must be read before it runs, to check that they are unchanged. */
  touched: readonly TouchedFile[];
  /** In Go's template language; wins over the GGUF's own template. */
  template: string | undefined;
  system: string | undefined;
  /** Put before the messages of a request. */
  messages: StoredMessage[];
  licenses: string[];
  requires: string | undefined;
  renderer: string | undefined;
  parser: string | undefined;
  /** Stored parameters that are unknown, or have a value of the wrong kind. */
  otherValues: Record<string, unknown>;
}

/** Defaults of a model without settings. */
export function noSettings() {
  return {
    card: undefined,
    examples: [],
    projectors: [],
    adapters: [],
    drafts: [],
    draft: undefined,
    touched: [],
    template: undefined,
    system: undefined,
    messages: [],
    licenses: [],
    requires: undefined,
    renderer: undefined,
    parser: undefined,
    otherValues: {},
  };
}

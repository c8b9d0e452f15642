// A model that can be loaded: its files, and everything that was said about it.
import type { GgufFacts } from "../gguf/gguf-facts.ts";
import type { StoredMessage } from "../model-definition.ts";
import type { ModelParameters } from "../model-parameters.ts";
import type { ModelDetails } from "./model-details.ts";
import type { StoreKind } from "./model-folder.ts";
import type { TouchedFile } from "./touched-file.ts";

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
  /** Its files that must be read before it is run, to tell whether they are what they were. */
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
  /** Stored parameters that we do not know, or whose value is of the wrong kind. */
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

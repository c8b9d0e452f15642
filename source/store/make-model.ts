// Creates a model for a command or a request: pulls a missing parent, and quantizes if requested.
import type { HubRequest } from "./hub/fetch-model.ts";
import type { HubSettings } from "./hub/hub-settings.ts";
import { type CreateOptions, createModel } from "./library/create-model.ts";
import type { ProgressRecord } from "./library/layer-maker.ts";
import type { ParentModel } from "./library/model-base.ts";
import type { ModelStore } from "./library/model-store.ts";
import type { ResolvedModel } from "./library/resolved-model.ts";
import type { ModelCatalog } from "./model-catalog.ts";
import type { ModelDefinition } from "./model-definition.ts";
import type { ModelName } from "./model-reference.ts";
import { pullModel, type TemplateProblem } from "./pull-model.ts";
import { type QuantizeProgram, quantizing } from "./quantize/quantize-weights.ts";

/** Services that create models. */
export interface LibraryServices {
  catalog: ModelCatalog;
  store: ModelStore;
  /** Read only when needed: most work needs no token, whose file may be invalid. */
  hub: () => Promise<HubSettings>;
  quantizeProgram: QuantizeProgram;
  templateProblem: TemplateProblem;
  /** Time limit for rendering a conversation. */
  templateTimeoutMs: number;
  /** Lists conversations that a model's template does not support. */
  templateWarnings: (model: ResolvedModel, signal: AbortSignal) => Promise<string[]>;
}

export interface MakeOptions
  extends Pick<CreateOptions, "baseFolder" | "copy" | "isAllowed" | "otherParameters"> {
  /** The type to quantize to, in any letter case. */
  quantize?: string | undefined;
}

/** Reports long work, and cancels it. */
export interface Work {
  onProgress: (record: ProgressRecord) => void;
  /** Called with each warning; by default, warnings are reported as progress. */
  onWarning?: (sentence: string) => void;
  signal: AbortSignal;
  limitRateBytesPerSecond?: number;
  /** Called before a model of the hub is fetched. */
  onChoice?: NonNullable<HubRequest["onChoice"]>;
}

/**
 * @throws ProductError, see `createModel`, `pullModel` and `quantizing`
 */
export async function makeModel(
  library: LibraryServices,
  name: ModelName,
  definition: ModelDefinition,
  { quantize, ...options }: MakeOptions,
  work: Work,
): Promise<void> {
  const { catalog, store, quantizeProgram, templateWarnings } = library;
  const { onWarning = (status) => work.onProgress({ status }) } = work;
  await createModel(store, name, definition, {
    ...options,
    onProgress: untilSuccess(work),
    signal: work.signal,
    resolveName: (reference) => parentFor(library, reference, work),
    ...(quantize !== undefined && {
      convertWeights: quantizing(store, quantizeProgram, quantize, work),
    }),
  });
  const made = await catalog.resolve(name.display);
  for (const sentence of await templateWarnings(made, work.signal)) onWarning(sentence);
  work.onProgress({ status: "success" });
}

/** Holds back the record of success, which comes last, after every warning. */
function untilSuccess({ onProgress }: Work): Work["onProgress"] {
  return (record) => {
    if (record.status !== "success") onProgress(record);
  };
}

async function parentFor(
  { catalog, store, hub, templateProblem }: LibraryServices,
  reference: string,
  work: Work,
): Promise<ParentModel> {
  const parsed = catalog.parse(reference);
  if (parsed.kind === "name" && parsed.name.isHub) {
    const found = await catalog.find(parsed.name);
    if (found === undefined) {
      const onProgress = untilSuccess(work);
      const settings = await hub();
      await pullModel(store, parsed.name, { ...work, settings, onProgress, templateProblem });
    }
  }
  return await catalog.parentOf(reference);
}

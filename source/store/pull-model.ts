// Pulls a model from the hub into the store, under the requested name.
import { ProductError } from "../base/product-error.ts";
import { storeErrors } from "./errors.ts";
import { type FetchedFile, fetchModel, type HubRequest } from "./hub/fetch-model.ts";
import type { RepositoryDefaults } from "./hub/repository-defaults.ts";
import { createModel } from "./library/create-model.ts";
import type { ProgressRecord } from "./library/layer-maker.ts";
import type { ModelStore } from "./library/model-store.ts";
import { defineModel, type ModelDefinition } from "./model-definition.ts";
import { defaultTag, hubHosts, hubNameOf, type ModelName } from "./model-reference.ts";
import { sortParameters } from "./parameter-values.ts";

export interface PullOptions extends Omit<HubRequest, "onProgress"> {
  onProgress?: (progress: ProgressRecord) => void;
  templateProblem: TemplateProblem;
}

/** Returns the problem of a Go template; undefined for a usable one. */
export type TemplateProblem = (template: string) => Promise<string | undefined>;

/**
 * Fetches the model's missing files, then writes the manifest; fetched files are protected from
 * removal meanwhile. Updates an existing model.
 *
 * @throws ProductError `STORE_HUB_...`, `STORE_NO_REGISTRY` for a name that is not a hub name
 */
export async function pullModel(
  store: ModelStore,
  name: ModelName,
  { onProgress = () => {}, templateProblem, ...request }: PullOptions,
): Promise<void> {
  // Ollama's status text until it knows that the model exists.
  onProgress({ status: "pulling manifest" });
  refuseOtherRegistries(name, store.folder.hubPrefixes);
  await store.whileWriting(async () => {
    const { files, defaults } = await fetchModel(
      {
        owner: name.namespace,
        repo: name.model,
        ...(name.tag.toLowerCase() !== defaultTag && { selector: name.tag }),
      },
      {
        ...request,
        blobs: store,
        onProgress: ({ state, file, detail, totalBytes, completedBytes }) => {
          if (detail !== undefined) onProgress({ status: detail });
          if (file === undefined || state === "done") return;
          const { sha256, sizeBytes: total, verifiedBytes } = file;
          const overall = { overall_total: totalBytes, overall_completed: completedBytes };
          if (state === "verifying") {
            if (verifiedBytes === undefined) return;
            // Reported without a digest, which would reset the download's progress bar.
            const status = "verifying sha256 digest";
            onProgress({ status, total, completed: verifiedBytes, ...overall });
            return;
          }
          onProgress({
            status: `pulling ${sha256?.slice(0, 12) ?? file.path}`,
            ...(sha256 !== undefined && { digest: `sha256:${sha256}` }),
            total,
            completed: file.completedBytes,
            ...overall,
          });
        },
      },
    );
    const from = files.map(({ blobPath }) => blobPath);
    const usable = await usableDefaults(defaults, templateProblem);
    for (const status of usable.messages) onProgress({ status });
    await createModel(store, name, defineModel({ ...usable.definition, from }), {
      baseFolder: store.path,
      otherParameters: usable.otherParameters,
      resolveName: async () => {
        throw new Error("files have no names to resolve");
      },
      onProgress: (progress) => {
        // Skips the steps of creation: the layers were reported as they arrived.
        if (progress.status === "writing manifest") onProgress(progress);
      },
      ...(request.signal !== undefined && { signal: request.signal }),
    }).catch(async (error: unknown) => {
      throw await withHubNames(error, files, name, store);
    });
  }, request.signal);
  onProgress({ status: "success" });
}

/** Returns the repository's defaults as far as they are supported, and sentences about them. */
async function usableDefaults(
  { template, system, params = {}, problems }: RepositoryDefaults,
  templateProblem: TemplateProblem,
): Promise<{
  definition: Pick<ModelDefinition, "template" | "system" | "parameters">;
  otherParameters: Record<string, unknown>;
  messages: string[];
}> {
  const problem = template === undefined ? undefined : await templateProblem(template);
  const kept = problem === undefined ? template : undefined;
  const { parameters, otherValues } = sortParameters(params);
  const names = Object.keys(parameters);
  const unused = Object.keys(otherValues);
  const brought = [
    ...(kept === undefined ? [] : ["template"]),
    ...(system === undefined ? [] : ["system prompt"]),
    ...(names.length === 0 ? [] : [`parameters (${names.join(", ")})`]),
  ];
  return {
    definition: { template: kept, system, parameters },
    otherParameters: otherValues,
    messages: [
      ...problems.map((sentence) => `ignoring the repository's ${sentence}`),
      ...(problem === undefined ? [] : [`ignoring the repository's template: ${problem}`]),
      ...(unused.length === 0
        ? []
        : [`some of the repository's params have no effect here: ${unused.join(", ")}`]),
      ...(brought.length === 0 ? [] : [`using the repository's ${brought.join(", ")}`]),
    ],
  };
}

/** Names unusable files as on the hub in the error, and removes them. */
async function withHubNames(
  error: unknown,
  files: readonly FetchedFile[],
  { namespace, model }: ModelName,
  store: ModelStore,
): Promise<unknown> {
  if (!(error instanceof ProductError)) return error;
  const useless = files.filter(({ blobPath }) => error.message.includes(blobPath));
  if (useless.length === 0) return error;
  const { digests: needed } = await store.folder.neededBlobs();
  const isNeeded = useless.some(({ digest }) => needed.has(digest));
  await store.removeUnused(useless.map(({ digest }) => digest));
  const deleted = useless.length > 1 ? "They were deleted. " : "It was deleted. ";
  return error.reworded({
    message: useless.reduce(
      (message, { blobPath, path }) =>
        message.replaceAll(blobPath, `${path} of ${namespace}/${model}`),
      error.message,
    ),
    hint: `${isNeeded ? "" : deleted}Choose another file of the repository, or another repository.`,
  });
}

function refuseOtherRegistries(name: ModelName, hubPrefixes: readonly string[]): void {
  if (name.isHub) return;
  throw new ProductError(storeErrors.noRegistry, {
    message: `pull model manifest: file does not exist: '${name.display}' is not a hub name, and only hub models can be pulled.`,
    hint: `Name a repository, such as ${hubNameOf(name, hubPrefixes) ?? `${hubHosts(hubPrefixes)[0]}/OWNER/REPO:Q4_K_M`}, or run: modelctl list`,
    param: "model",
  });
}

// Description of a model without loading it: replies of `/api/show`, output of `modelctl show`.
import type { Static } from "typebox";
import { formatLocalTime } from "../../base/formats.ts";
import { draftBytes } from "../../engine/scheduler/draft-plan.ts";
import { mtpProblem } from "../../engine/scheduler/mtp-plan.ts";
import { quotedCharacters } from "../../prompt/go-template/escape-text.ts";
import { defaultTimeoutMs } from "../../prompt/render-budget.ts";
import { type GgufHeader, type GgufValue, readGguf } from "../../store/gguf/read-gguf.ts";
import { tensorTypeName } from "../../store/gguf/tensor-size.ts";
import { parameterCount } from "../../store/library/model-details.ts";
import type { ResolvedModel } from "../../store/library/resolved-model.ts";
import type { Description } from "../openapi/native-replies.ts";
import { detailsRecord } from "../routes/native/records.ts";
import { type ModelfileChanges, modelfileOf } from "./modelfile-of.ts";
import { readTemplate, unsupportedConversations } from "./template-in-force.ts";

export type ModelDescription = Omit<Static<typeof Description>, "details"> & {
  details: Record<string, unknown>;
};

export interface DescribeOptions extends ModelfileChanges {
  /**
   * Includes all elements of long lists such as the vocabulary; otherwise those lists are empty.
   */
  verbose?: boolean | undefined;
  /** Time limit for trying the template. */
  templateTimeoutMs?: number;
  signal?: AbortSignal;
}

/** @throws ProductError those of `readGguf` */
export async function describeModel(
  model: ResolvedModel,
  options: DescribeOptions = {},
): Promise<ModelDescription> {
  const { verbose = false, templateTimeoutMs = defaultTimeoutMs, signal } = options;
  const { modelInfo, projectorInfo, tensors } = await readFileMetadata(model, verbose);
  const reading = readTemplate(model);
  const { template, origin, capabilities } = reading;
  const unsupported = await unsupportedConversations(model, reading, templateTimeoutMs, signal);
  const { text: modelfile, unprintable } = modelfileOf(model, options);
  const parameters = parametersText({ ...model.parameters, ...model.otherValues });
  const { licenses, system, messages, requires, card } = model;
  return {
    ...(licenses.length > 0 && { license: licenses.join("\n") }),
    modelfile,
    ...(parameters !== "" && { parameters }),
    ...(template !== undefined && { template: template.source }),
    ...(system !== undefined && { system }),
    details: detailsRecord(model.details),
    ...(messages.length > 0 && { messages }),
    model_info: modelInfo,
    ...(projectorInfo !== undefined && { projector_info: projectorInfo }),
    ...(model.draft !== undefined && { draft: draftRecord(model.draft) }),
    ...(model.facts.mtpHeads.announced > 0 && { mtp: mtpRecord(model) }),
    tensors,
    capabilities,
    modified_at: formatLocalTime(model.modifiedAt),
    ...(requires !== undefined && { requires }),
    name: model.name,
    store: model.store ?? model.origin,
    template_origin: {
      ...origin,
      ...(unsupported.length > 0 && {
        unsupported: unsupported.map(({ conversation, reason }) => ({ conversation, reason })),
      }),
    },
    unprintable,
    ...(card !== undefined && { description: card }),
  };
}

/** A draft model, and an estimate of the memory that it takes with the largest window. */
function draftRecord(draft: NonNullable<ResolvedModel["draft"]>) {
  const { name, facts } = draft;
  const memory = draftBytes(draft, facts.trainedContextLength);
  return { name, architecture: facts.architecture, size: facts.fileSize, memory };
}

/** MTP heads that a file announces, and why they cannot be used. */
function mtpRecord(model: ResolvedModel) {
  const problem = mtpProblem(model);
  const { announced: heads } = model.facts.mtpHeads;
  return { heads, ...(problem !== undefined && { problem: `the model ${problem}` }) };
}

const nameWidth = 30;

/** Prints each element of a list on its own line, and texts in Go's quotes. */
export function parametersText(parameters: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(parameters)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, value]) => valuesOf(value).map((item) => line(name, item)));
  return lines.join("\n");
}

function line(name: string, value: unknown): string {
  return `${name.padEnd(nameWidth)} ${valueText(value)}`;
}

function valuesOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function valueText(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return `"${quotedCharacters(value, '"', false)}"`;
}

interface FileMetadata {
  modelInfo: Record<string, unknown>;
  projectorInfo: Record<string, unknown> | undefined;
  tensors: ModelDescription["tensors"];
}

/** Keys that other fields of a description show. */
const shownElsewhere: ReadonlySet<string> = new Set(["general.name", "tokenizer.chat_template"]);

/**
 * Reads the metadata of a model's files, and the list of their tensors.
 *
 * @param verbose keeps every element of long lists
 * @throws ProductError those of `readGguf`
 */
async function readFileMetadata(
  model: Pick<ResolvedModel, "parts" | "projectors">,
  verbose: boolean,
): Promise<FileMetadata> {
  const read = (file: string) => readGguf(file, () => verbose);
  const parts = await Promise.all(model.parts.map(read));
  const [projector] = await Promise.all(model.projectors.map(read));
  return {
    modelInfo: infoOf(parts),
    projectorInfo: projector && infoOf([projector]),
    tensors: parts.flatMap(({ tensors }) =>
      tensors.map(({ name, type, shape }) => ({ name, type: tensorTypeName(type), shape })),
    ),
  };
}

/** Reads one file, or all parts in order; the first part has the metadata. */
function infoOf(parts: readonly GgufHeader[]): Record<string, unknown> {
  const entries = [...(parts[0]?.metadata ?? [])].filter(([key]) => !shownElsewhere.has(key));
  return {
    // Counted, as Ollama does: few files state it.
    "general.parameter_count": parts.reduce((sum, part) => sum + parameterCount(part), 0),
    ...Object.fromEntries(entries.map(([key, value]) => [key, jsonValue(value)])),
  };
}

/** JSON numbers lose digits beyond 2^53. */
function jsonValue(value: GgufValue): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return shortest(value);
  return typeof value === "object" ? (value.values ?? []).map(jsonValue) : value;
}

/** Prints 0.00001 instead of 0.000009999999747378752, the same 32-bit number. */
function shortest(value: number): number {
  if (Number.isInteger(value) || Math.fround(value) !== value) return value;
  const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const candidates = digits.map((count) => Number(value.toPrecision(count)));
  return candidates.find((candidate) => Math.fround(candidate) === value) ?? value;
}

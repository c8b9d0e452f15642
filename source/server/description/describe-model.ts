// Description of a model without loading it: replies of `/api/show`, output of `modelctl
// show`. Names and shapes are Ollama's; additions are marked as ours.
import { formatLocalTime } from "../../base/local-time.ts";
import type { Capability } from "../../prompt/choose-template.ts";
import { quotedCharacters } from "../../prompt/go-template/escape-text.ts";
import { defaultTimeoutMs } from "../../prompt/render-budget.ts";
import type { ResolvedModel } from "../../store/library/resolved-model.ts";
import type { StoredMessage } from "../../store/model-definition.ts";
import type { UnprintableField } from "../../store/modelfile/print-modelfile.ts";
import { detailsRecord } from "../routes/native/records.ts";
import { readFileMetadata, type TensorEntry } from "./file-metadata.ts";
import { type ModelfileChanges, modelfileOf } from "./modelfile-of.ts";
import {
  readTemplate,
  type TemplateOrigin,
  unsupportedConversations,
} from "./template-in-force.ts";

export interface ModelDescription {
  /** License texts, joined by newlines. */
  license?: string;
  modelfile: string;
  /** One value per line: `num_ctx                        4096`. */
  parameters?: string;
  /** The template in force, in either language. */
  template?: string;
  system?: string;
  details: Record<string, unknown>;
  messages?: StoredMessage[];
  /** The file's metadata, without its name and its template. */
  model_info: Record<string, unknown>;
  projector_info?: Record<string, unknown>;
  tensors: TensorEntry[];
  capabilities: Capability[];
  modified_at: string;
  requires?: string;
  /** Ours: its name with the tag, or its path. */
  name: string;
  /** Ours: `modelctl`, `ollama`, `built-in` or `file`. */
  store: string;
  /** Ours: the template's source, and why it was chosen. */
  template_origin: TemplateOrigin;
  /** Ours: settings that a Modelfile cannot express. */
  unprintable: UnprintableField[];
  /** Ours: capabilities that the model's author claims. */
  description?: string;
}

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

// Sections of `show` for a model.
import type { ModelDescription, PlannedWindows } from "../application/models/model-library.ts";
import { formatBytes, formatCount, formatMemory } from "../base/formats.ts";
import { isRecord } from "../base/json.ts";
import { type KnownRate, knownRate } from "../base/quantities.ts";
import type { ShownModel } from "../client/chat-calls.ts";
import { entriesOf, fieldsOf, textOf } from "../client/reply-fields.ts";
import { formatSection } from "./table.ts";

const nameWidth = 30;
const linesShown = 2;
const widestList = 60;

export type DescribedModel = Pick<
  ModelDescription,
  "details" | "model_info" | "projector_info" | "capabilities" | "tensors"
> &
  Partial<
    Pick<ModelDescription, "parameters" | "system" | "license" | "requires" | "draft" | "mtp">
  > & {
    template_origin: Pick<ModelDescription["template_origin"], "reason" | "is_guess"> & {
      unsupported?: ReadonlyArray<{ conversation: string; reason: string }>;
    };
    /** Undefined if unknown. */
    windows?: PlannedWindows | undefined;
    /** Tokens per second of an answer. */
    speed?: KnownRate | undefined;
  };

/** @param verbose adds the file's metadata and tensors */
export function formatDescription(description: DescribedModel, verbose: boolean): string {
  const {
    details,
    model_info: info,
    projector_info: projector,
    capabilities,
    windows,
  } = description;
  const sections: Array<[title: string, rows: string[][]]> = [
    [
      "Model",
      named({
        architecture: info["general.architecture"] ?? details.family,
        parameters: details.parameter_size,
        "context length": details.context_length,
        window: windows && `${windows.window}, if loaded now`,
        "window limit": windows?.limit,
        "sliding window": windows?.sliding,
        "embedding length": details.embedding_length,
        quantization: details.quantization_level,
        "MTP heads": mtpText(description.mtp),
        requires: description.requires,
        speed: speedText(description.speed),
      }),
    ],
    ["Capabilities", capabilities.map((capability) => [capability])],
    ["Projector", projector === undefined ? [] : projectorRows(projector)],
    ["Draft model", draftRows(description.draft)],
    ["Parameters", parameterRows(description.parameters)],
    ["Prompt template", templateRows(description.template_origin)],
    ["Metadata", verbose ? metadataRows(info) : []],
    ["Tensors", verbose ? tensorRows(description.tensors) : []],
    ["System", firstLines(description.system)],
    ["License", firstLines(description.license)],
  ];
  return sections
    .filter(([, rows]) => rows.length > 0)
    .map(([title, rows]) => formatSection(title, rows))
    .join("");
}

/** `21 tok/s measured`, `12-18 tok/s expected`. */
function speedText(speed: KnownRate = {}): string | undefined {
  const text = knownRate(speed);
  const how = speed.measured === undefined ? "expected" : "measured";
  return text && `${text} tok/s ${how}`;
}

function templateRows({ reason, unsupported = [] }: DescribedModel["template_origin"]): string[][] {
  return [
    [reason],
    ...unsupported.map((each) => [`Does not support ${each.conversation}: ${each.reason}`]),
  ];
}

function named(values: Record<string, unknown>): string[][] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => [name, String(value)]);
}

function projectorRows(info: Record<string, unknown>): string[][] {
  const architecture = String(info["general.architecture"]);
  const vision = (key: string) => info[`${architecture}.vision.${key}`];
  return named({
    architecture,
    parameters: formatCount(Number(info["general.parameter_count"])),
    "embedding length": vision("embedding_length"),
    dimensions: vision("projection_dim"),
  });
}

function mtpText(mtp: DescribedModel["mtp"]): string | undefined {
  if (mtp === undefined) return undefined;
  const { heads, problem } = mtp;
  return problem === undefined
    ? `${heads}; --spec-type draft-mtp uses ${heads > 1 ? "the first" : "it"}`
    : `not usable: ${problem}`;
}

function draftRows(draft: DescribedModel["draft"]): string[][] {
  if (draft === undefined) return [];
  const { name, architecture, size, memory } = draft;
  return named({
    name,
    architecture,
    size: formatBytes(size),
    memory: `about ${formatMemory(memory)}`,
  });
}

function parameterRows(text = ""): string[][] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => [
    line.slice(0, nameWidth).trimEnd(),
    line.slice(nameWidth).trimStart(),
  ]);
}

function metadataRows(info: Record<string, unknown>): string[][] {
  const entries = Object.entries(info).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, value]) => [
    key,
    Array.isArray(value) ? shortList(value) : String(value),
  ]);
}

/** `[a b ...+N more]` */
function shortList(values: readonly unknown[]): string {
  const shown: string[] = [];
  let width = 0;
  for (const value of values.map(String)) {
    width += value.length + 1;
    if (width > widestList) break;
    shown.push(value);
  }
  const more = values.length - shown.length;
  return `[${[...shown, ...(more > 0 ? [`...+${more} more`] : [])].join(" ")}]`;
}

function tensorRows(tensors: ModelDescription["tensors"]): string[][] {
  return tensors.map(({ name, type, shape }) => [name, type, `[${shape.join(" ")}]`]);
}

/** Returns the first lines that are not blank. */
function firstLines(text = ""): string[][] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const shown = lines.slice(0, linesShown).map((line) => [line.trim()]);
  return lines.length > linesShown ? [...shown, ["..."]] : shown;
}

/** Converts a server's reply; fields that an older server lacks are left out. */
export function describedModel(shown: ShownModel): DescribedModel {
  const origin = fieldsOf(shown.template_origin);
  const { projector_info: projector } = shown;
  return {
    details: fieldsOf(shown.details),
    model_info: fieldsOf(shown.model_info),
    ...(isRecord(projector) && { projector_info: projector }),
    // Printed unchanged, as a later server may have more.
    capabilities: shown.capabilities as DescribedModel["capabilities"],
    tensors: [],
    parameters: shown.parameters,
    system: shown.system,
    license: shown.license,
    ...(typeof shown.requires === "string" && { requires: shown.requires }),
    template_origin: {
      reason: textOf(origin.reason),
      is_guess: origin.is_guess === true,
      unsupported: entriesOf(origin.unsupported).map(({ conversation, reason }) => ({
        conversation: textOf(conversation),
        reason: textOf(reason),
      })),
    },
  };
}

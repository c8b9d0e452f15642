// A repository as a recommendation sees it: what it is for, how large it is, and what it needs.
import type { ListedRepository } from "../../../store/hub/list-publisher.ts";
import { tryChoice } from "../../../store/hub/selection/list-quantizations.ts";
import { bitWidthOf, fileName, quantizationOf } from "../../../store/hub/selection/quantization.ts";

/** Purposes that a model serves. */
export type Ability = "chat" | "code" | "tools" | "vision" | "embeddings";

export interface SuitableModel {
  /** `owner/name` */
  repo: string;
  abilities: Ability[];
  downloads: number;
  /** Milliseconds since 1970. */
  updatedMs: number;
  parameterCount: number;
  /** Parameters that a token uses: fewer in a mixture of experts. */
  activeCount: number;
  /** The default quantization. */
  selector: string;
  /** Size of the download. */
  sizeBytes: number;
  /** False for a size that was estimated from the parameters. */
  isExact: boolean;
}

/** Kinds of models that neither chat nor embed. */
const otherTags = new Set([
  "text-to-image",
  "image-to-image",
  "text-to-video",
  "image-to-video",
  "text-to-speech",
  "text-to-audio",
  "automatic-speech-recognition",
  "audio-text-to-text",
  "text-ranking",
  "text-classification",
  "translation",
]);
const embeddingTags = ["feature-extraction", "sentence-similarity", "sentence-transformers"];
/** Words of names: drafts, guards and bases answer nobody. */
const otherNames =
  /(?:^|[-_.])(?:rerank\w*|guard\w*|reward|prm|base|pt|draft|mtp|tts|asr|ocr|audio|omni|lora)(?=[-_.]|$)/i;
const codeNames = /coder|codestral|devstral|(?:^|[-_.])code(?=[-_.]|$)/i;

/** @returns undefined for a repository that cannot be recommended */
export function suitableModel(listed: ListedRepository): SuitableModel | undefined {
  const { repo, files, parameterCount, isGated, downloads = 0, updatedAt = "" } = listed;
  const choice = tryChoice({
    repo,
    commit: "",
    files: files.map((path) => ({ path, sizeBytes: 0 })),
  });
  const weights = choice?.files.find(({ role }) => role === "model");
  const abilities = abilitiesOf(listed);
  if (isGated || weights === undefined || !parameterCount || abilities.length === 0) {
    return undefined;
  }
  const selector = quantizationOf(weights.path) ?? fileName(weights.path);
  return {
    repo,
    abilities,
    downloads,
    updatedMs: Date.parse(updatedAt) || 0,
    parameterCount,
    activeCount: Math.min(parameterCount, activeInName(repo) ?? parameterCount),
    selector,
    sizeBytes: Math.round((parameterCount * bitsPerWeight(weights.path)) / 8),
    isExact: false,
  };
}

export function abilitiesOf({ repo, tags, files, template }: ListedRepository): Ability[] {
  const name = repo.slice(repo.indexOf("/") + 1);
  if (otherNames.test(name) || tags.some((tag) => otherTags.has(tag))) return [];
  if (embeddingTags.some((tag) => tags.includes(tag)) || /embed/i.test(name)) return ["embeddings"];
  // A model without a template continues texts.
  if (template === undefined) return [];
  return [
    codeNames.test(name) ? "code" : "chat",
    ...(/\btools\b/.test(template) ? (["tools"] as const) : []),
    ...(files.some((file) => /mmproj/i.test(file)) ? (["vision"] as const) : []),
  ];
}

/** Reads `A3B` of a mixture of experts. */
function activeInName(repo: string): number | undefined {
  const billions = /[-_]A(\d+(?:\.\d+)?)B(?=[-_.]|$)/i.exec(repo)?.[1];
  return billions === undefined ? undefined : Number(billions) * 1e9;
}

/** Bits of a weight, with scales and the larger types of some tensors. */
function bitsPerWeight(file: string): number {
  const bits = bitWidthOf(file) || 16;
  return bits >= 16 ? bits : bits + (bits === 8 ? 0.5 : 0.9);
}

/** Name without publisher, its prefix and its ending: equal for one model of several publishers. */
export function modelKey(repo: string): string {
  const name = repo.slice(repo.indexOf("/") + 1).toLowerCase();
  return name.replace(/[-_.]gguf$/, "").replace(/^[a-z-]+_/, "");
}

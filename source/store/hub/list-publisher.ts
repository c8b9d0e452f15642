// Lists the GGUF repositories of known publishers, with what a recommendation needs.
import { isRecord } from "../../base/json.ts";
import { askForModels, type HubModel, readModel, type SearchWork } from "./search-models.ts";

/** Publishers of GGUF files, whose repositories are complete and named alike. No model is named. */
export const knownPublishers = [
  "ggml-org",
  "unsloth",
  "bartowski",
  "lmstudio-community",
  "Qwen",
  "google",
  "mistralai",
  "ibm-granite",
  "LiquidAI",
  "nomic-ai",
] as const;

export interface ListedRepository extends HubModel {
  /** Such as `text-generation`, `sentence-similarity`. */
  tags: string[];
  /** Paths of its `.gguf` files. */
  files: string[];
  /** Jinja text of its chat template. */
  template: string | undefined;
}

const listed = 100;
const fields = ["downloads", "likes", "lastModified", "gated", "gguf", "tags", "siblings"];

/**
 * Returns a publisher's most downloaded repositories.
 * https://huggingface.co/docs/hub/api#get-apimodels
 *
 * @throws ProductError `STORE_HUB_...`
 */
export async function listPublisher(author: string, work: SearchWork): Promise<ListedRepository[]> {
  const query = { author, filter: "gguf", sort: "downloads", limit: String(listed) };
  const entries = await askForModels(query, fields, work);
  return entries.flatMap((entry) =>
    readModel(entry).map((model) => ({ ...model, ...detailsOf(isRecord(entry) ? entry : {}) })),
  );
}

function detailsOf({ tags, siblings, gguf }: Record<string, unknown>) {
  const template = isRecord(gguf) ? gguf.chat_template : undefined;
  return {
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
    files: Array.isArray(siblings) ? siblings.flatMap(ggufName) : [],
    template: typeof template === "string" ? template : undefined,
  };
}

function ggufName(sibling: unknown): string[] {
  const name = isRecord(sibling) ? sibling.rfilename : undefined;
  return typeof name === "string" && /\.gguf$/i.test(name) ? [name] : [];
}

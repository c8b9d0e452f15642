// Parses the text that names a model into a file or a name.
import {
  afterHubPrefix,
  isAddress,
  looksLikePath,
  toAbsolutePath,
  withoutScheme,
} from "../base/file-path.ts";
import { ProductError } from "../base/product-error.ts";
import { storeErrors } from "./errors.ts";

/** A model's full name; two names mean one model when they differ in case alone. */
export interface ModelName {
  host: string;
  namespace: string;
  model: string;
  tag: string;
  /** Without the default host and namespace, always with the tag: `tiny` is `tiny:latest`. */
  display: string;
  /** True when it names a repository on the hub. */
  isHub: boolean;
}

export type ModelReference = { kind: "file"; path: string } | { kind: "name"; name: ModelName };

export interface ReferenceOptions {
  /** The base of relative paths. Defaults to the working directory. */
  baseFolder?: string | undefined;
  /** Hosts, and schemes with their colon, that mean the hub; the first is the one shown. */
  hubPrefixes?: readonly string[] | undefined;
}

export const defaultHost = "registry.ollama.ai";
export const defaultNamespace = "library";
export const defaultTag = "latest";
export const defaultHubPrefixes = ["hf.co", "huggingface.co", "hf:"];

/** Rule for one part of a name. */
interface PartRule {
  pattern: RegExp;
  longest: number;
}

// Ollama's rules (types/model/name.go). The hub's rules are wider: owners with dots, longer
// repositories, and any file name as a tag.
const nameRules = {
  host: { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.:-]*$/, longest: 350 },
  namespace: { pattern: /^[A-Za-z0-9_][A-Za-z0-9_-]*$/, longest: 80 },
  model: { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/, longest: 80 },
  tag: { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/, longest: 80 },
} as const satisfies Record<string, PartRule>;

const hubPart = { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/, longest: 128 };
const hubRules = {
  ...nameRules,
  namespace: hubPart,
  model: hubPart,
  tag: { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.+()-]*$/, longest: 200 },
} as const satisfies Record<keyof typeof nameRules, PartRule>;

/**
 * @throws ProductError `STORE_NAME_INVALID`; `STORE_CLOUD_MODEL` for a model in Ollama's cloud
 */
export function parseModelReference(text: string, options: ReferenceOptions = {}): ModelReference {
  const { baseFolder, hubPrefixes = defaultHubPrefixes } = options;
  const behindPrefix = afterHubPrefix(text, hubPrefixes);
  const hubText = behindPrefix === undefined ? undefined : nameOfPage(behindPrefix);
  if (hubText === undefined && isAddress(text) && !isNameBehindScheme(text)) {
    throw invalidName(
      text,
      "Only addresses of the hub are supported. Download the file, then name it by its path.",
    );
  }
  if (hubText === undefined && looksLikePath(text)) {
    return { kind: "file", path: toAbsolutePath(text, baseFolder) };
  }
  const { path, tag } = splitTag(hubText ?? withoutScheme(text), text);
  const parts = path.split("/");
  if (hubText !== undefined) {
    const [namespace = "", model = "", ...more] = parts;
    const [host = ""] = hubHosts(hubPrefixes);
    if (more.length > 0)
      throw invalidName(
        text,
        `Name a file after a colon, without its folder: ${host}/OWNER/REPO:FILE.gguf.`,
      );
    return checked(text, { host, namespace, model, tag, isHub: true });
  }
  if (parts.length > 3) throw invalidName(text);
  const [model = "", namespace = defaultNamespace, host = defaultHost] = parts.reverse();
  return checked(text, { host, namespace, model, tag, isHub: false });
}

/**
 * Parses a repository of the hub, with or without the hub's prefix; the tag follows a colon.
 *
 * @returns undefined for other names
 * @throws ProductError `STORE_NAME_INVALID`
 */
export function parseRepository(
  text: string,
  hubPrefixes: readonly string[],
): ModelName | undefined {
  const schemes = hubPrefixes.filter((prefix) => prefix.endsWith(":"));
  const hasScheme = schemes.some((scheme) => text.toLowerCase().startsWith(scheme.toLowerCase()));
  const isBare = !hasScheme && /^[^/]+\/[^/]+$/.test(text);
  const named = isBare ? `${hubHosts(hubPrefixes)[0]}/${text}` : text;
  const parsed = parseModelReference(named, { hubPrefixes });
  return parsed.kind === "name" && parsed.name.isHub ? parsed.name : undefined;
}

/** Ollama allows a scheme before a name; text with a file's ending is not a name. */
function isNameBehindScheme(text: string): boolean {
  return withoutScheme(text) !== text && !/\.gguf([?#]|$)/i.test(text);
}

/** The hosts among the prefixes; the first is the one shown. */
export function hubHosts(hubPrefixes: readonly string[]): string[] {
  return hubPrefixes.filter((prefix) => !prefix.endsWith(":"));
}

/** Builds a name from parts, such as the store's folder names, without checking any rule. */
export function modelNameOf(
  parts: { host: string; namespace: string; model: string; tag: string },
  hubPrefixes: readonly string[] = defaultHubPrefixes,
): ModelName {
  const { namespace, model, tag } = parts;
  const hosts = hubHosts(hubPrefixes);
  const isHub = hosts.some((host) => host.toLowerCase() === parts.host.toLowerCase());
  const host = isHub ? (hosts[0] ?? "") : parts.host;
  const isUsualHost = host.toLowerCase() === defaultHost;
  const isUsualNamespace = isUsualHost && namespace.toLowerCase() === defaultNamespace;
  const shown = [...(isUsualHost ? [] : [host]), ...(isUsualNamespace ? [] : [namespace]), model];
  return { host, namespace, model, tag, display: `${shown.join("/")}:${tag}`, isHub };
}

/**
 * Returns the hub name for a name of two parts, as Ollama's users write it; undefined for others.
 */
export function hubNameOf(
  { host, namespace, model, tag }: ModelName,
  hubPrefixes: readonly string[] = defaultHubPrefixes,
): string | undefined {
  if (host.toLowerCase() !== defaultHost || namespace.toLowerCase() === defaultNamespace) {
    return undefined;
  }
  return `${hubHosts(hubPrefixes)[0]}/${namespace}/${model}${tag === defaultTag ? "" : `:${tag}`}`;
}

export function isSameName(one: ModelName, other: ModelName): boolean {
  return one.display.toLowerCase() === other.display.toLowerCase();
}

function checked(
  text: string,
  { isHub, ...parts }: Omit<ModelName, "display">,
): Extract<ModelReference, { kind: "name" }> {
  const rules = isHub ? hubRules : nameRules;
  for (const key of ["host", "namespace", "model", "tag"] as const) {
    const { pattern, longest } = rules[key];
    if (parts[key].length > longest) {
      throw invalidName(text, `The ${key} is longer than ${longest} characters.`);
    }
    if (!pattern.test(parts[key])) throw invalidName(text);
  }
  // No prefixes, so that the host stays as it is.
  return { kind: "name", name: { ...modelNameOf(parts, []), isHub } };
}

/**
 * Splits off the tag, after the last colon behind the last slash: a host may contain a colon too.
 */
function splitTag(name: string, text: string): { path: string; tag: string } {
  const isLocal = /:local$/i.test(name);
  const own = isLocal ? name.slice(0, -":local".length) : name;
  const colon = own.indexOf(":", own.lastIndexOf("/") + 1);
  const path = colon < 0 ? own : own.slice(0, colon);
  const tag = colon < 0 ? defaultTag : own.slice(colon + 1);
  if (/^cloud$|-cloud$/i.test(tag)) {
    throw new ProductError(storeErrors.cloudModel, {
      message: `invalid model name: ${JSON.stringify(text)} names a model in Ollama's cloud; this program runs models on your own machine.`,
      hint: "Name the model without :cloud.",
      param: "model",
    });
  }
  return { path, tag };
}

function invalidName(text: string, hint?: string): ProductError {
  return new ProductError(storeErrors.nameInvalid, {
    message: `invalid model name: ${JSON.stringify(text)} is neither a model name nor a path to a .gguf file.`,
    hint:
      hint ??
      "Use a name such as llama3:8b or hf.co/owner/repository, or a path with a slash or ending in .gguf.",
    param: "model",
  });
}

// Addresses of a repository's page, of a file's page, and of its download; the GGUF viewer names
// its file in the query.
const page = /^([^/:?#]+\/[^/:?#]+)(?:\/(?:tree\/main\/?)?)?(?:\?([^#]*))?(?:#.*)?$/;
const file = /^([^/:?#]+\/[^/:?#]+)\/(?:blob|resolve)\/main\/(?:[^?#]*\/)?([^/?#]+)(?:[?#].*)?$/;

/**
 * Converts an address copied from the hub's web pages to a model name.
 *
 * @param text the address after the hub's host
 * @returns `OWNER/REPO` or `OWNER/REPO:FILE`; other text unchanged
 */
function nameOfPage(text: string): string {
  const [, repoOfFile, shown] = file.exec(text) ?? [];
  if (repoOfFile !== undefined && shown !== undefined) return `${repoOfFile}:${decoded(shown)}`;
  const [, repo, query] = page.exec(text) ?? [];
  if (repo === undefined) return text;
  const viewed = new URLSearchParams(query).get("show_file_info");
  return viewed === null ? repo : nameOfPage(`${repo}/blob/main/${encodeURI(viewed)}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

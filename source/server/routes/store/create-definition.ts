// Reads the definition in a create request, and warns about fields that have no effect.
import path from "node:path";
import { quoteShort } from "../../../base/display-text.ts";
import { nearestName } from "../../../base/nearest-name.ts";
import { ProductError } from "../../../base/product-error.ts";
import { GoChatTemplate } from "../../../prompt/go-template/go-chat-template.ts";
import { unknownFieldText } from "../../../prompt/go-template/unknown-fields.ts";
import { storeErrors } from "../../../store/errors.ts";
import { parseDigest } from "../../../store/library/digest.ts";
import type { ModelStore } from "../../../store/library/model-store.ts";
import {
  defineModel,
  ignoredFields,
  type ModelDefinition,
  type StoredMessage,
} from "../../../store/model-definition.ts";
import {
  isParameterName,
  parameterKinds,
  removedParameters,
} from "../../../store/model-parameters.ts";
import { positionWithin } from "../../../store/modelfile/modelfile-text.ts";
import { readVersion } from "../../../store/modelfile/version-text.ts";
import { invalidField } from "../../errors.ts";
import { parseOptions } from "../../options.ts";
import type { CreateBody } from "./schema.ts";

export interface CreateDefinition {
  definition: ModelDefinition;
  /** Parameters with unknown names, kept as they are. */
  otherParameters: Record<string, unknown>;
  /** Warnings about fields that have no effect. */
  warnings: string[];
}

/**
 * @throws ProductError `SERVER_FIELD_INVALID`, `STORE_DIGEST_INVALID`, `STORE_BLOB_MISSING`,
 *   `PROMPT_TEMPLATE_INVALID`, `STORE_DEFINITION_INVALID`
 */
export async function readDefinition(
  store: ModelStore,
  body: CreateBody,
): Promise<CreateDefinition> {
  const { from, files = {}, license = [], template, system, renderer, parser } = body;
  if (!from && Object.keys(files).length === 0) {
    throw new ProductError(storeErrors.definitionInvalid, {
      message: "neither 'from' or 'files' was specified",
      hint: "Name a model, or the digests of files sent to /api/blobs.",
      param: "from",
    });
  }
  if (Object.keys(body.adapters ?? {}).length > 1) {
    throw invalidField("adapters", "only one adapter is currently supported");
  }
  const parsedTemplate = template ? readTemplate(template) : undefined;
  const { known, others } = sortParameters(body.parameters ?? {});
  const definition = defineModel({
    from: [...(from ? [from] : []), ...(await blobPaths(store, "files", files))],
    adapters: await blobPaths(store, "adapters", body.adapters ?? {}),
    drafts: await blobPaths(store, "draft_files", body.draft_files ?? {}),
    template,
    system,
    licenses: [license].flat().filter((text) => text !== ""),
    parameters: parseOptions(known, () => {}),
    messages: (body.messages ?? []).map(readMessage),
    // Empty text keeps the parent's, as for template and system.
    renderer: renderer || undefined,
    parser: parser || undefined,
    requires: body.requires ? checkedVersion(body.requires) : undefined,
  });
  const otherNames = Object.keys(others);
  const warnings = createWarnings(body, { template: parsedTemplate, otherNames });
  return { definition, otherParameters: others, warnings };
}

/** Paths of the blobs that the files' digests name. */
async function blobPaths(
  store: ModelStore,
  param: string,
  files: Readonly<Record<string, string>>,
): Promise<string[]> {
  const paths: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    if (
      path.posix.isAbsolute(name) ||
      path.win32.isAbsolute(name) ||
      /(^|[/\\])\.\.([/\\]|$)/.test(name)
    ) {
      throw invalidField(param, `file path must be relative, and ${quoteShort(name)} is not`);
    }
    const digest = parseDigest(text);
    if (!(await store.hasBlob(digest))) {
      throw invalidField(
        param,
        `blob ${digest} of ${quoteShort(name)} has not been uploaded: send it to /api/blobs first`,
      );
    }
    paths.push(store.blobPath(digest));
  }
  return paths;
}

function readTemplate(template: string): GoChatTemplate {
  try {
    return new GoChatTemplate(template);
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    throw error.reworded({ message: `template error: ${error.message}`, param: "template" });
  }
}

function sortParameters(given: Readonly<Record<string, unknown>>) {
  const known: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (!isParameterName(name)) others[name] = value;
    // Some clients send a single stop text without a list.
    else known[name] = name === "stop" && typeof value === "string" ? [value] : value;
  }
  return { known, others };
}

const roles: readonly StoredMessage["role"][] = ["system", "user", "assistant"];

function readMessage(message: { role: string; content: string }, index: number): StoredMessage {
  const role = roles.find((known) => known === message.role.toLowerCase());
  if (role !== undefined) return { role, content: message.content };
  throw invalidField(
    `messages.${index}.role`,
    `message role must be one of ${roles.join(", ")}, but is ${quoteShort(message.role)}`,
  );
}

function checkedVersion(text: string): string {
  const version = readVersion(text);
  if (version !== undefined) return version;
  throw invalidField(
    "requires",
    `requires must be a version such as 1.2.3, but is ${quoteShort(text)}`,
  );
}

/** Returns a sentence for each field that has no effect, like a Modelfile's warnings. */
export function createWarnings(
  { renderer, parser, parameters = {}, messages = [] }: CreateBody,
  { template, otherNames }: { template: GoChatTemplate | undefined; otherNames: string[] },
): string[] {
  const warnings = template === undefined ? [] : fieldWarnings(template);
  if (renderer) warnings.push(`renderer ${ignoredFields.renderer}`);
  if (parser) warnings.push(`parser ${ignoredFields.parser}`);
  if ((parameters.typical_p ?? 1) !== 1) {
    warnings.push(`parameter typical_p ${ignoredFields.typicalP}`);
  }
  warnings.push(...otherNames.map(unknownParameterText));
  for (const [index, message] of messages.entries()) {
    const lost = ["images", "thinking", "tool_calls"].filter((name) =>
      Object.hasOwn(message, name),
    );
    if (lost.length > 0) {
      warnings.push(`messages.${index}: ${lost.join(", ")} not kept: a model only keeps text.`);
    }
  }
  return warnings;
}

function fieldWarnings({ source, unknownFields }: GoChatTemplate): string[] {
  return unknownFields.map((field) => {
    const { line, column } = positionWithin({ line: 1, column: 1 }, source, field.at);
    return `template line ${line}, column ${column}: ${unknownFieldText(field)}`;
  });
}

function unknownParameterText(name: string): string {
  const text = `parameter ${quoteShort(name)} is kept, but has no effect here:`;
  if (removedParameters.has(name)) return `${text} it no longer exists.`;
  const nearest = nearestName(name, Object.keys(parameterKinds));
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return `${text} there is no such parameter.${hint}`;
}

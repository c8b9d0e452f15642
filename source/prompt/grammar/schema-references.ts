// Resolution of $ref within the schema's own document.
import { isRecord } from "../../base/json.ts";
import { invalidSchema, type SchemaPath, unsupportedSchema } from "./schema-error.ts";
import { asSchema, type Schema } from "./schema-keywords.ts";

export interface FoundSchema {
  schema: Schema;
  path: SchemaPath;
}

/** @throws SchemaRefusal if the target does not exist or is in another document */
export function findReference(root: Schema, reference: unknown, path: SchemaPath): FoundSchema {
  if (typeof reference !== "string") throw invalidSchema(path, "it must be a string");
  if (!reference.startsWith("#")) {
    throw unsupportedSchema(path, `"${reference}" is in another document, and none is fetched`);
  }
  const target = reference.slice(1);
  if (target !== "" && !target.startsWith("/")) return findAnchor(root, target, path);
  let found: unknown = root;
  for (const part of target.split("/").slice(1)) {
    const key = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found = Object.hasOwn(Object(found), key) ? Reflect.get(Object(found), key) : undefined;
  }
  if (found === undefined) throw invalidSchema(path, `"${reference}" does not exist`);
  return { schema: asSchema(found, target), path: target };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a lone percent sign is part of a name
  }
}

function findAnchor(root: Schema, anchor: string, path: SchemaPath): FoundSchema {
  const definitions = isRecord(root)
    ? { ...definitionsIn(root, "$defs"), ...definitionsIn(root, "definitions") }
    : {};
  for (const [place, schema] of Object.entries(definitions)) {
    if (isRecord(schema) && schema.$anchor === anchor) return { schema, path: place };
  }
  throw invalidSchema(path, `there is no definition with the anchor "${anchor}"`);
}

function definitionsIn(root: Record<string, unknown>, key: string): Record<string, unknown> {
  const definitions = root[key];
  if (!isRecord(definitions)) return {};
  return Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [`/${key}/${name}`, schema]),
  );
}

// Request types of the official clients, read from their declarations.
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseSync, type TSType } from "oxc-parser";

type Declaration =
  | { kind: "interface"; members: readonly TypeMember[]; parents: readonly string[] }
  | { kind: "alias"; type: TSType };

interface TypeMember {
  name: string;
  /** Value of a literal such as `type: 'function'`; several for a union of literals. */
  literals: readonly string[];
}

/** Declarations of one file, by their names with the namespaces they are in: `Tool.Mcp`. */
export class ClientTypes {
  readonly #declarations = new Map<string, Declaration>();

  /** @param file of a package, such as `openai/resources/embeddings.d.ts` */
  constructor(file: string) {
    const whole = path.join(import.meta.dirname, "../../node_modules", file);
    const { program, errors } = parseSync(whole, readFileSync(whole, "utf8"));
    if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
    this.#collect(program.body, "");
  }

  /** Names of an interface's fields, those of its parents too. @throws Error for an unknown name */
  fields(name: string): string[] {
    return this.#membersOf(name).map((member) => member.name);
  }

  /** Values of `type` of all members of a union, in order; nested unions are resolved. */
  kinds(name: string): string[] {
    return [...new Set(this.#interfacesOf(name).flatMap((each) => this.#kindOf(each)))];
  }

  #kindOf(name: string): readonly string[] {
    return this.#membersOf(name).find((member) => member.name === "type")?.literals ?? ["message"];
  }

  #membersOf(name: string): readonly TypeMember[] {
    const found = this.#find(name);
    if (found.kind !== "interface") throw new Error(`${name} is no interface`);
    return [...found.members, ...found.parents.flatMap((parent) => this.#membersOf(parent))];
  }

  #interfacesOf(name: string): string[] {
    const found = this.#find(name);
    return found.kind === "interface" ? [name] : this.#interfacesOfType(found.type);
  }

  #interfacesOfType(type: TSType): string[] {
    if (type.type === "TSUnionType")
      return type.types.flatMap((each) => this.#interfacesOfType(each));
    if (type.type === "TSTypeReference") return this.#interfacesOf(nameOf(type.typeName));
    return [];
  }

  #find(name: string): Declaration {
    const found = this.#declarations.get(name.replace(/^\w+API\./, ""));
    if (found === undefined) throw new Error(`${name} is not declared`);
    return found;
  }

  // The tree's types are wide: each statement is looked at for the few kinds that matter.
  #collect(statements: readonly unknown[], prefix: string): void {
    for (const statement of statements as Statement[]) {
      const declared = statement.declaration ?? statement;
      const name = prefix + (declared.id?.name ?? "");
      if (declared.type === "TSInterfaceDeclaration") {
        this.#declarations.set(name, {
          kind: "interface",
          members: ((declared.body?.body ?? []) as Member[]).flatMap(memberOf),
          parents: (declared.extends ?? []).map(({ expression }) => nameOf(expression)),
        });
      } else if (declared.type === "TSTypeAliasDeclaration" && declared.typeAnnotation) {
        this.#declarations.set(name, { kind: "alias", type: declared.typeAnnotation });
      } else if (declared.type === "TSModuleDeclaration") {
        this.#collect(declared.body?.body ?? [], `${name}.`);
      }
    }
  }
}

interface Statement {
  type: string;
  declaration?: Statement | null;
  id?: { name?: string };
  body?: { body: readonly unknown[] };
  extends?: ReadonlyArray<{ expression: NameTree }>;
  typeAnnotation?: TSType;
}

interface Member {
  type: string;
  key?: { name?: string; value?: string };
  typeAnnotation?: { typeAnnotation: TSType } | null;
}

type NameTree = {
  type: string;
  name?: string;
  left?: unknown;
  right?: unknown;
  object?: unknown;
  property?: unknown;
};

function nameOf(tree: unknown): string {
  const { name, left, right, object, property } = tree as NameTree;
  if (name !== undefined) return name;
  return `${nameOf(left ?? object)}.${nameOf(right ?? property)}`;
}

function memberOf({ type, key, typeAnnotation }: Member): TypeMember[] {
  const name = key?.name ?? key?.value;
  if (type !== "TSPropertySignature" || name === undefined) return [];
  return [{ name, literals: typeAnnotation ? literalsOf(typeAnnotation.typeAnnotation) : [] }];
}

function literalsOf(type: TSType): string[] {
  if (type.type === "TSUnionType") return type.types.flatMap(literalsOf);
  if (type.type !== "TSLiteralType" || type.literal.type !== "Literal") return [];
  return [String(type.literal.value)];
}

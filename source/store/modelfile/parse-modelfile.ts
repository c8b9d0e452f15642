// Reads a Modelfile: the meaning of each command, on top of the grammar in scan-commands.ts.

import { quoteShort, trimInvisible } from "../../base/display-text.ts";
import { nearestName } from "../../base/nearest-name.ts";
import { storeErrors } from "../errors.ts";
import {
  defineModel,
  ignoredFields,
  type ModelDefinition,
  type StoredMessage,
} from "../model-definition.ts";
import {
  isParameterName,
  type ModelParameters,
  parameterKinds,
  removedParameters,
} from "../model-parameters.ts";
import { readParameterText } from "../parameter-values.ts";
import { type ModelfileText, readModelfileText, type TextPosition } from "./modelfile-text.ts";
import { commentHint, type ModelfileCommand, scanCommands, valueMissing } from "./scan-commands.ts";
import { readVersion } from "./version-text.ts";

export interface ParsedModelfile {
  definition: ModelDefinition;
  /** Sentences about lines without effect. */
  warnings: string[];
  /** Where the values begin (at their quotes, if quoted), for errors found later. */
  positions: ModelfilePositions;
}

export interface ModelfilePositions {
  /** As many as `definition.from`. */
  from: TextPosition[];
  adapters: TextPosition[];
  drafts: TextPosition[];
  /** Start of its text, after the quotes. */
  template: TextPosition | undefined;
  requires: TextPosition | undefined;
}

/**
 * Reads a Modelfile in UTF-8, or in UTF-16 with a byte order mark. If a command that is not a list
 * occurs twice, the last one wins with a warning, as in Ollama.
 *
 * @throws ProductError `STORE_MODELFILE_…`, whose message begins with line and column
 */
export function parseModelfile(source: string | Uint8Array): ParsedModelfile {
  const text = readModelfileText(source);
  const parsed = readCommands(text);
  if (parsed.definition.from.length > 0) return parsed;
  throw text.error(storeErrors.modelfileFromMissing, text.text.length, {
    message: "the file has no FROM line.",
    hint: "Add a line with the base model, such as: FROM ./model.gguf",
  });
}

/** Reads commands without asking for a FROM among them. */
export function readCommands(text: ModelfileText): ParsedModelfile {
  const reader = new CommandReader(text);
  for (const command of scanCommands(text)) reader.read(command);
  return reader;
}

const roles: readonly StoredMessage["role"][] = ["system", "user", "assistant"];

class CommandReader implements ParsedModelfile {
  readonly definition: ModelDefinition = defineModel({ from: [] });
  readonly warnings: string[] = [];
  readonly positions: ModelfilePositions = {
    from: [],
    adapters: [],
    drafts: [],
    template: undefined,
    requires: undefined,
  };
  readonly #source: ModelfileText;
  /** Offsets of commands that may occur once, by name. */
  readonly #given = new Map<string, number>();

  constructor(source: ModelfileText) {
    this.#source = source;
  }

  read(command: ModelfileCommand): void {
    const { definition, positions } = this;
    const { text, at } = command.value;
    switch (command.name) {
      case "FROM":
        definition.from.push(this.#path(command));
        positions.from.push(this.#source.positionAt(at));
        break;
      case "ADAPTER":
        this.#warnIfGiven("ADAPTER", command);
        definition.adapters = [this.#path(command)];
        positions.adapters = [this.#source.positionAt(at)];
        break;
      case "DRAFT":
        definition.drafts.push(this.#path(command));
        positions.drafts.push(this.#source.positionAt(at));
        break;
      case "TEMPLATE":
        this.#warnIfGiven("TEMPLATE", command);
        definition.template = text;
        positions.template = this.#source.positionAt(command.value.textAt);
        break;
      case "SYSTEM":
        this.#warnIfGiven("SYSTEM", command);
        definition.system = text;
        break;
      case "RENDERER":
        this.#warnIfGiven("RENDERER", command);
        definition.renderer = word(command);
        this.#warn(command.at, `RENDERER ${ignoredFields.renderer}`);
        break;
      case "PARSER":
        this.#warnIfGiven("PARSER", command);
        definition.parser = word(command);
        this.#warn(command.at, `PARSER ${ignoredFields.parser}`);
        break;
      case "REQUIRES":
        this.#warnIfGiven("REQUIRES", command);
        definition.requires = this.#version(command);
        positions.requires = this.#source.positionAt(at);
        break;
      case "LICENSE":
        definition.licenses.push(text);
        break;
      case "MESSAGE":
        definition.messages.push({ role: this.#role(command), content: text });
        break;
      case "PARAMETER":
        this.#readParameter(command);
        break;
    }
  }

  #warnIfGiven(name: string, command: ModelfileCommand): void {
    const before = this.#given.get(name);
    this.#given.set(name, command.at);
    if (before === undefined) return;
    const line = this.#source.positionAt(before).line;
    this.#warn(command.at, `${name} replaces the one on line ${line}.`);
  }

  #warn(at: number, sentence: string): void {
    this.warnings.push(`Modelfile ${this.#source.describe(at)}: ${sentence}`);
  }

  #path(command: ModelfileCommand): string {
    const path = word(command);
    if (path === "") throw valueMissing(this.#source, command.value.at, command.name);
    return path;
  }

  #version(command: ModelfileCommand): string {
    const version = readVersion(word(command));
    if (version !== undefined) return version;
    throw this.#source.error(storeErrors.modelfileRequiresInvalid, command.value.at, {
      message: `REQUIRES must name a version, but is ${quoteShort(command.value.text)}.`,
      hint: "Use a version such as 1.2.3.",
    });
  }

  #role({ key }: ModelfileCommand): StoredMessage["role"] {
    const role = roles.find((known) => known === key.text);
    if (role !== undefined) return role;
    const nearest = nearestName(key.text, roles);
    throw this.#source.error(storeErrors.modelfileRoleInvalid, key.at, {
      message: `the role of a message must be system, user or assistant, but is ${quoteShort(key.text)}.`,
      hint: nearest === undefined ? "Example: MESSAGE user Hello!" : `Did you mean ${nearest}?`,
    });
  }

  #readParameter(command: ModelfileCommand): void {
    const { key, value } = command;
    if (removedParameters.has(key.text)) {
      this.#warn(key.at, `parameter ${key.text} is obsolete and ignored.`);
      return;
    }
    if (!isParameterName(key.text)) throw this.#unknownParameter(key);
    const read = readParameterText(key.text, value.text);
    if (!read.ok) {
      throw this.#source.error(storeErrors.modelfileParameterInvalid, value.at, {
        message: `parameter ${key.text} ${read.problem}.`,
        hint: commentHint(value.text) ?? "Fix the value, or remove the line to use the default.",
      });
    }
    const parameters = this.definition.parameters;
    if (key.text === "stop") {
      parameters.stop ??= [];
      parameters.stop.push(String(read.value));
      return;
    }
    this.#warnIfGiven(`PARAMETER ${key.text}`, command);
    if (key.text === "typical_p" && read.value !== 1) {
      this.#warn(key.at, `parameter typical_p ${ignoredFields.typicalP}`);
    }
    // The value was read by the parameter's kind.
    Object.assign(parameters, { [key.text]: read.value } satisfies Partial<
      Record<keyof ModelParameters, unknown>
    >);
  }

  #unknownParameter(key: ModelfileCommand["key"]) {
    const names = Object.keys(parameterKinds);
    const nearest = nearestName(key.text, names);
    return this.#source.error(storeErrors.modelfileParameterUnknown, key.at, {
      message: `${quoteShort(key.text)} is not a known parameter.`,
      hint:
        nearest === undefined ? `Parameters are ${names.join(", ")}.` : `Did you mean ${nearest}?`,
    });
  }
}

/** Returns the value of a command that takes one word or path, trimmed unless it was quoted. */
function word({ value }: ModelfileCommand): string {
  return value.isQuoted ? value.text : trimInvisible(value.text);
}

// Built-in tools in the form of a tool server, so that a chat knows one kind of tools.
import { formatMilliseconds } from "../../base/formats.ts";
import { ProductError } from "../../base/product-error.ts";
import { toolErrors } from "../errors.ts";
import type {
  CallLimits,
  ServerState,
  ToolArguments,
  ToolDescription,
  ToolResult,
  ToolServer,
} from "../tool.ts";

export interface BuiltInTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, Parameter>>;
  readonly isReadOnly: boolean;
  readonly alwaysAsks?: boolean;
  /** @throws ToolFailure; the signal's reason */
  run(values: ToolValues, context: ToolContext): Promise<string>;
}

interface Parameter {
  readonly type: "string" | "integer";
  readonly description: string;
  readonly isOptional?: true;
}

export interface ToolContext {
  /** The working folder. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** What the person typed in this chat. */
  readonly typed: readonly string[];
}

/** A failure in words for the model. */
export class ToolFailure extends Error {}

/** Arguments of a call, checked against the tool's parameters. */
export class ToolValues {
  readonly #values: ToolArguments;

  /** @throws ToolFailure for a missing, unknown or wrong argument */
  constructor(values: ToolArguments, parameters: BuiltInTool["parameters"]) {
    for (const [name, { type, isOptional }] of Object.entries(parameters)) {
      const value = values[name];
      if (value === undefined && isOptional) continue;
      const isRight = type === "string" ? typeof value === "string" : Number.isSafeInteger(value);
      if (!isRight) throw new ToolFailure(`The argument ${name} must be of the type ${type}.`);
    }
    const unknown = Object.keys(values).find((name) => !Object.hasOwn(parameters, name));
    if (unknown !== undefined) {
      const known = Object.keys(parameters).join(", ");
      throw new ToolFailure(`There is no argument ${unknown}; there are ${known}.`);
    }
    this.#values = values;
  }

  text(name: string, byDefault = ""): string {
    const value = this.#values[name];
    return typeof value === "string" ? value : byDefault;
  }

  integer(name: string, byDefault: number): number {
    const value = this.#values[name];
    return typeof value === "number" ? value : byDefault;
  }
}

export class BuiltInServer implements ToolServer {
  readonly name: string;
  readonly problem = undefined;
  readonly tools: readonly ToolDescription[];
  readonly #tools: readonly BuiltInTool[];
  readonly #folder: string;
  #state: ServerState = "off";

  constructor(name: string, tools: readonly BuiltInTool[], folder: string) {
    this.name = name;
    this.#tools = tools;
    this.#folder = folder;
    this.tools = tools.map((tool) => ({
      server: name,
      origin: "built in",
      name: tool.name,
      description: tool.description,
      inputSchema: schemaOf(tool),
      isReadOnly: tool.isReadOnly,
      ...(tool.alwaysAsks && { alwaysAsks: true }),
    }));
  }

  get state(): ServerState {
    return this.#state;
  }

  async start(): Promise<void> {
    this.#state = "ready";
  }

  async call(name: string, values: ToolArguments, limits: CallLimits): Promise<ToolResult> {
    const tool = this.#tools.find((one) => one.name === name);
    if (tool === undefined) {
      const message = `The tool ${name} of ${this.name} failed: there is no such tool.`;
      throw new ProductError(toolErrors.callFailed, { message });
    }
    const { signal, timeoutMs, typed = [] } = limits;
    const late = AbortSignal.timeout(timeoutMs);
    const both = AbortSignal.any([signal, late]);
    try {
      const context = { folder: this.#folder, signal: both, typed };
      const text = await tool.run(new ToolValues(values, tool.parameters), context);
      return { text, images: [], isError: false };
    } catch (error) {
      signal.throwIfAborted();
      if (late.aborted) {
        throw new ProductError(toolErrors.callTimeout, {
          message: `The tool ${name} of ${this.name} did not finish within ${formatMilliseconds(timeoutMs)}.`,
          cause: error,
        });
      }
      if (!(error instanceof ToolFailure)) throw error;
      return { text: error.message, images: [], isError: true };
    }
  }

  async close(): Promise<void> {
    this.#state = "off";
  }
}

function schemaOf({ parameters }: BuiltInTool): Record<string, unknown> {
  const entries = Object.entries(parameters);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, { type, description }]) => [name, { type, description }]),
    ),
    required: entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name),
    additionalProperties: false,
  };
}

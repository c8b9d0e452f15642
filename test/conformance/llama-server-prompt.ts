// Prompts as llama-server renders them: llama.cpp's Jinja engine, in the addon of node-llama-cpp, with the
// inputs that the server prepares for it (common/chat.cpp and common/jinja/caps.cpp of the release).
import { getLlama } from "node-llama-cpp";

type Variables = Readonly<Record<string, unknown>>;

interface Renderer {
  render(variables: Variables): string;
}

interface Addon {
  AddonJinjaRenderer: new (source: string) => Renderer;
}

/** Message of a conversation, in the form of transformers. */
interface Message {
  role: string;
  content: string;
  tool_calls?: Array<{ function: { arguments: unknown } }>;
}

/** Result of a prompt, of any engine. */
export type Rendering = { text: string } | { error: string };

export class LlamaServerPrompts {
  readonly #addon: Addon;
  readonly #needs = new Map<string, Needs>();

  private constructor(addon: Addon) {
    this.#addon = addon;
  }

  /** Loads the addon, whose renderer is not part of the package's public interface. */
  static async load(): Promise<LlamaServerPrompts> {
    const llama: object = await getLlama({ gpu: false, build: "never" });
    return new LlamaServerPrompts((llama as { _bindings: Addon })._bindings);
  }

  /** @param variables of a conversation in the form of transformers */
  render(source: string, variables: Variables): Rendering {
    const needs = this.#needs.get(source) ?? this.#needsOf(source);
    this.#needs.set(source, needs);
    const { messages, tools, ...others } = variables;
    return this.#run(source, {
      ...others,
      messages: prepared(messages as Message[], needs),
      ...(tools !== null && { tools }),
    });
  }

  #needsOf(source: string): Needs {
    const question = { role: "user", content: "User message" };
    const system = this.#run(source, {
      ...defaults,
      messages: [{ role: "system", content: "System message" }, question],
    });
    const call = { name: "tool1", arguments: { arg: "value" } };
    const calls = this.#run(source, {
      ...defaults,
      messages: [
        question,
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "call00001", type: "function", function: call }],
        },
        { role: "tool", content: "Tool response", tool_call_id: "call00001" },
        { role: "assistant", content: "The tool response was 'tool response'" },
        question,
      ],
      tools: [{ type: "function", function: { name: "tool1", description: "", parameters: {} } }],
    });
    return {
      systemRole: "text" in system && system.text.includes("System message"),
      // llama.cpp watches which values a template reads; one that prints the whole mapping reads none.
      textArguments: "text" in calls && calls.text.includes("{'arg': 'value'}"),
    };
  }

  #run(source: string, variables: Variables): Rendering {
    try {
      return { text: new this.#addon.AddonJinjaRenderer(source).render(variables) };
    } catch (error) {
      if (error instanceof Error) return { error: error.message.split("\n").at(-1) ?? "" };
      throw error;
    }
  }
}

const defaults = { bos_token: "", eos_token: "", add_generation_prompt: true };

/** Results of llama-server's trials of a template. */
interface Needs {
  systemRole: boolean;
  textArguments: boolean;
}

function prepared(messages: readonly Message[], { systemRole, textArguments }: Needs): Message[] {
  const [first, second, ...others] = messages;
  const isMerged = !systemRole && first?.role === "system" && second !== undefined;
  const merged = isMerged
    ? [{ ...second, content: `${first.content}\n${second.content}` }, ...others]
    : [...messages];
  if (!textArguments) return merged;
  return merged.map(({ tool_calls: calls, ...message }) => ({
    ...message,
    ...(calls !== undefined && {
      tool_calls: calls.map((call) => ({
        ...call,
        function: { ...call.function, arguments: pythonJson(call.function.arguments) },
      })),
    }),
  }));
}

/** Writes JSON with blanks between items, as models and clients do. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${pythonJson(item)}`,
  );
  return `{${entries.join(", ")}}`;
}

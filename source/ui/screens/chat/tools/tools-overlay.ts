// Servers and tools of the chat as a list of switches, with the tokens that their descriptions cost.

import { toOneLine } from "../../../../base/display-text.ts";
import { describeError } from "../../../../base/product-error.ts";
import { plural } from "../../../../base/quantities.ts";
import { Observable } from "../../../../base/store.ts";
import type {
  ChatBackend,
  ChatSettings,
  ChatTools,
  ServerSwitch,
} from "../../../../chat/chat-backend.ts";
import { toClientTool } from "../../../../chat/conversation/answer-with-tools.ts";
import type { ClientTool } from "../../../../client/chat-events.ts";
import type { Choice, FrameServices, LiveChoices } from "../../../frame/screen.ts";
import { glyphs } from "../../../theme.ts";

export interface ToolsOverlayOptions {
  readonly tools: ChatTools;
  readonly backend: Pick<ChatBackend, "facts" | "callsTools" | "countTokens">;
  readonly settings: ChatSettings;
  readonly frame: Pick<FrameServices, "choose" | "confirm">;
}

/** Descriptions that take more of the window leave little room for the conversation. */
const largestShare = 0.25;
const probe = { role: "user", content: "." } as const;

/** @returns a sentence about mistakes in files; undefined when the list was shown and closed */
export async function switchTools(options: ToolsOverlayOptions): Promise<string | undefined> {
  const { tools, frame } = options;
  const problems = await tools.find((question) => frame.confirm(question));
  const list = new SwitchList(options);
  const closed = frame.choose("Tools", [], { switches: list, isTable: true });
  void tools.set.start();
  await closed;
  list.close();
  return problems.length === 0 ? undefined : problems.join(" ");
}

class SwitchList extends Observable implements LiveChoices {
  readonly #options: ToolsOverlayOptions;
  /** Tokens of a server's descriptions; of all under the empty name. */
  #tokens: ReadonlyMap<string, number> = new Map();
  /** Names of the tools that were counted, or are being counted. */
  #counted = "";
  #problem: string | undefined;
  readonly #unsubscribe: () => void;

  constructor(options: ToolsOverlayOptions) {
    super();
    this.#options = options;
    this.#unsubscribe = options.tools.set.subscribe(() => this.#changed());
    void this.#checkModel();
    this.#changed();
  }

  close(): void {
    this.#unsubscribe();
  }

  /** `Tools: 1,240 of 32,768 tokens` */
  title(): string {
    const tokens = this.#tokens.get("");
    if (tokens === undefined) return this.#counted === "" ? "Tools" : "Tools: counting tokens";
    const { contextLength } = this.#options.backend.facts;
    const window = contextLength === undefined ? "" : ` of ${grouped(contextLength)}`;
    return `Tools: ${grouped(tokens)}${window} tokens`;
  }

  choices(): readonly Choice[] {
    const { tools } = this.#options;
    const notes = [this.#problem, this.#warning].filter((text) => text !== undefined);
    return [
      ...notes.map((text) => ({ value: text, title: text, isDim: true })),
      ...tools.set.switches.flatMap((server): Choice[] => [
        {
          value: server.name,
          title: `${mark(server.isOn)} ${server.name}`,
          note: this.#noteOf(server),
        },
        ...server.tools.map(({ tool, isOn }) => ({
          value: `${server.name}:${tool.name}`,
          title: `    ${mark(isOn)} ${tool.name}`,
          note: toOneLine(tool.description),
        })),
      ]),
      { value: "", title: "Add a server: modelctl mcp add NAME -- COMMAND", isDim: true },
    ];
  }

  toggle(value: string): void {
    const { set } = this.#options.tools;
    const server = set.switches.find(({ name }) => value === name || value.startsWith(`${name}:`));
    if (server === undefined) return;
    if (value === server.name) {
      void (server.isOn ? set.switchOff(value) : this.#switchOn(value));
      return;
    }
    const tool = server.tools.find(({ tool: { name } }) => value === `${server.name}:${name}`);
    if (tool === undefined) return;
    set.switchTool(tool.tool, !tool.isOn);
  }

  async #switchOn(name: string): Promise<void> {
    const { set } = this.#options.tools;
    await set.switchOn(name);
    await set.start();
  }

  #noteOf({ name, isOn, state, problem, origin, tools }: ServerSwitch): string {
    if (!isOn) return `off, ${origin}`;
    if (state === "failed") return problem ?? "failed";
    if (state !== "ready") return "starting";
    const tokens = this.#tokens.get(name);
    const cost = tokens === undefined ? "" : `, ${grouped(tokens)} tokens`;
    return `ready, ${plural(tools.length, "tool")}${cost}, ${origin}`;
  }

  get #warning(): string | undefined {
    const { facts } = this.#options.backend;
    const share = (this.#tokens.get("") ?? 0) / (facts.contextLength ?? Infinity);
    if (share <= largestShare) return undefined;
    return `${glyphs.warning} Descriptions take ${Math.round(share * 100)} % of the window: switch off what you do not need.`;
  }

  #changed(): void {
    void this.#count();
    this.tell();
  }

  async #checkModel(): Promise<void> {
    const { backend } = this.#options;
    try {
      if (await backend.callsTools()) return;
      this.#problem = `${glyphs.warning} ${backend.facts.name} calls no tools: its chat template has no place for them.`;
    } catch (error) {
      this.#problem = describeError(error);
    }
    this.tell();
  }

  /** Counts again if other tools are on; a count that fails stays unknown. */
  async #count(): Promise<void> {
    const { tools, backend, settings } = this.#options;
    const { offered } = tools.set;
    const names = offered.map(({ name }) => name).join(" ");
    if (names === this.#counted) return;
    this.#counted = names;
    this.#tokens = new Map();
    if (offered.length === 0 || !(await backend.callsTools().catch(() => false))) return;
    const tokensOf = (some: readonly ClientTool[]) =>
      backend.countTokens([probe], settings, undefined, some);
    try {
      const without = await tokensOf([]);
      const counts = new Map([["", (await tokensOf(offered.map(toClientTool))) - without]]);
      for (const server of new Set(offered.map(({ tool }) => tool.server))) {
        const own = offered.filter(({ tool }) => tool.server === server);
        counts.set(server, (await tokensOf(own.map(toClientTool))) - without);
      }
      if (this.#counted !== names) return;
      this.#tokens = counts;
    } catch {
      if (this.#counted === names) this.#counted = "";
    }
    this.tell();
  }
}

function mark(isOn: boolean): string {
  return isOn ? "[x]" : "[ ]";
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

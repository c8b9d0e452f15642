// A model's own MTP heads, which draft its next tokens from its state and the last token.
//
// With several heads the first one predicts all tokens of a draft, each from the state that it made for the
// one before.
import type { Addon, AddonContext, MemoryBreakdown } from "./addon.ts";
import { DraftContext, type DraftContextParts, type SetThreads } from "./draft-context.ts";
import type { Draft, DraftSource } from "./draft-model.ts";
import type { DraftPlan } from "./draft-pace.ts";
import type { EngineExtension } from "./engine-extension.ts";

export class MtpHeads implements DraftSource {
  /** Without weights, which are the model's. */
  readonly memory: MemoryBreakdown;
  readonly #extension: EngineExtension;
  readonly #heads: AddonContext;
  readonly #context: DraftContext;

  constructor(addon: Addon, extension: EngineExtension, parts: DraftContextParts) {
    extension.keepStates(parts.context, false);
    this.#extension = extension;
    this.#heads = parts.context;
    this.#context = new DraftContext(addon, parts);
    this.memory = parts.context.getMemoryBreakdown();
  }

  unread(text: readonly number[], states: readonly Float32Array[]): number {
    return Math.min(this.#context.unread(text), states.length);
  }

  async continue(
    text: readonly number[],
    { reads, ...plan }: DraftPlan,
    setThreads: SetThreads,
    states: readonly Float32Array[],
  ): Promise<Draft> {
    const context = this.#context;
    try {
      const started = performance.now();
      const unread = context.prepare(text, Math.min(reads, states.length), plan.most);
      // Each token is read with the state of the one before it.
      const own = states.slice(states.length - unread.length);
      if (unread.length > 1) {
        await this.#read(unread.slice(0, -1), own.slice(0, -1), setThreads, "none");
      }
      const index = await this.#read(unread.slice(-1), own.slice(-1), setThreads);
      const { length } = context;
      const readUntil = performance.now();
      const draft = await context.guess(index, plan, (token) =>
        this.#read([token], [this.#extension.states(this.#heads, 1)], setThreads),
      );
      const draftMs = performance.now() - readUntil;
      // Read again with the model's own states, once they are known.
      context.cut(length);
      return {
        ...draft,
        read: unread.length,
        readMs: readUntil - started,
        steps: Math.max(0, draft.guesses.length - 1),
        draftMs,
      };
    } catch (error) {
      context.forget();
      throw error;
    }
  }

  async #read(
    tokens: readonly number[],
    states: readonly Float32Array[],
    setThreads: SetThreads,
    outputs: "none" | "last" = "last",
  ): Promise<number> {
    return await this.#context.step(tokens, setThreads, outputs, (heads) =>
      this.#extension.setStates(heads, joined(states)),
    );
  }
}

function joined(states: readonly Float32Array[]): Float32Array {
  const width = states[0]?.length ?? 0;
  const all = new Float32Array(states.length * width);
  for (const [at, state] of states.entries()) all.set(state, at * width);
  return all;
}

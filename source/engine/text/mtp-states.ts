// States of a model's last tokens, which its MTP heads take beside the tokens themselves.
//
// They are known for tokens that a slot computed alone. A slot that was restored, copied or read an image
// has none before it, so it needs no counterpart: the heads begin again with the tokens that follow.
import type { AddonContext } from "./addon.ts";
import type { EngineExtension } from "./engine-extension.ts";
import type { Slot } from "./slot.ts";
import type { SampledItem } from "./step-sampler.ts";

/** Most tokens of a step of the heads. */
export const mtpBatchSize = 512;
/** Last tokens of each slot whose states are kept. */
export const mtpKeptStates = 512;

interface KnownStates {
  /** Number of tokens in the slot when its last states were noted. */
  end: number;
  /** The last of them, in order, and their states. */
  tokens: readonly number[];
  states: readonly Float32Array[];
}

const none: readonly Float32Array[] = [];

export class MtpStates {
  readonly #extension: Pick<EngineExtension, "states">;
  readonly #context: AddonContext;
  readonly #known = new Map<number, KnownStates>();

  /** @param context of the model, which keeps the states of all tokens */
  constructor(extension: Pick<EngineExtension, "states" | "keepStates">, context: AddonContext) {
    extension.keepStates(context, true);
    this.#extension = extension;
    this.#context = context;
  }

  /** Called after a step was sampled, before its tokens are added to the slots. */
  note([item, ...others]: ReadonlyArray<
    Pick<SampledItem, "slot" | "tokens" | "logits" | "sampled">
  >): void {
    // llama.cpp orders the states of several slots in its own way.
    if (item === undefined || others.length > 0) return;
    const { slot, logits, sampled } = item;
    const tokens = logits === "all" ? item.tokens.slice(0, sampled.length) : item.tokens;
    if (tokens.length === 0) return;
    const earlier = this.of(slot);
    const all = this.#extension.states(this.#context, tokens.length);
    const width = all.length / tokens.length;
    const states = tokens.map((_, at) => all.subarray(at * width, (at + 1) * width));
    this.#known.set(slot.id, {
      end: slot.tokens.length + tokens.length,
      tokens: [...slot.tokens.slice(slot.tokens.length - earlier.length), ...tokens].slice(
        -mtpKeptStates,
      ),
      states: [...earlier, ...states].slice(-mtpKeptStates),
    });
  }

  /** Returns the states of a slot's last tokens, in order: as many as are known. */
  of({ id, tokens }: Pick<Slot<unknown>, "id" | "tokens">): readonly Float32Array[] {
    const known = this.#known.get(id);
    if (known === undefined || known.end < tokens.length) return none;
    const count = known.tokens.length - (known.end - tokens.length);
    if (count <= 0) return none;
    const start = tokens.length - count;
    const isSame = known.tokens.slice(0, count).every((token, at) => token === tokens[start + at]);
    return isSame ? known.states.slice(0, count) : none;
  }
}

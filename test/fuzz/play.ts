// Rounds of a target, with checks for failures: exceptions other than the product's own errors, hangs
// and leaks.
import { setTimeout as wait } from "node:timers/promises";
import { Dice } from "./dice.ts";
import { FairClock } from "./fair-clock.ts";
import { sizeOfProcess } from "./process-size.ts";
import type { Attack, ProcessSize, Target } from "./target.ts";
import type { Watchdog } from "./watchdog.ts";

export interface PlayOptions {
  seed: string;
  rounds: number;
  /** Runs only this round. */
  only?: number | undefined;
  /** Time limit of an attempt on an idle machine. Defaults to 10 s. */
  hangMs?: number;
  /** Time limit for closing handles of the last rounds, such as sockets. Defaults to 10 s. */
  settleMs?: number;
  /** Called for rounds that block this thread. Defaults to nothing. */
  watchdog?: Watchdog | undefined;
}

export interface Failure {
  /** Undefined for failures found after the last round. */
  round: number | undefined;
  reason: string;
  /** Last attempt. */
  reproduction: string;
}

export interface Played {
  name: string;
  rounds: number;
  attempts: number;
  seconds: number;
  failures: Failure[];
}

const usualHangMs = 10_000;
const lookMs = 250;
/** Time limit for servers and their runners to exit. */
const endMs = 30_000;
/** Failures after which a target stops. */
const maxFailures = 10;
/** Maximum number of stack lines printed for a failure. */
const maxLines = 8;
/** Rounds after which caches are warm, and growing memory counts as a leak. */
const warmRounds = 100;
const maxGrowth: ProcessSize = { handles: 24, bytes: 256 * 2 ** 20 };
const usualSettleMs = 10_000;

export async function play(target: Target, options: PlayOptions): Promise<Played> {
  return await new Play(target, options).run();
}

class Play {
  readonly #target: Target;
  readonly #options: PlayOptions;
  readonly #failures: Failure[] = [];
  #attempts = 0;
  #rounds = 0;
  #latest = "";
  #warm: ProcessSize | undefined;

  constructor(target: Target, options: PlayOptions) {
    this.#target = target;
    this.#options = options;
  }

  async run(): Promise<Played> {
    const started = performance.now();
    const { only, rounds } = this.#options;
    let attack = await this.#target.begin();
    const first = only ?? 0;
    const behind = only === undefined ? rounds : only + 1;
    for (let index = first; index < behind; index += 1) {
      if (this.#failures.length >= maxFailures) break;
      const isWell = await this.#round(attack, index);
      // The failure may have left it in any state.
      if (!isWell) {
        await this.#end(attack);
        attack = await this.#target.begin();
        this.#warm = undefined;
      } else if (this.#warm === undefined && index - first >= warmRounds) {
        this.#warm = await sizeOf(attack);
      }
    }
    await this.#checkGrowth(attack);
    await this.#end(attack);
    const { name } = this.#target;
    const seconds = (performance.now() - started) / 1000;
    const failures = this.#failures;
    return { name, rounds: this.#rounds, attempts: this.#attempts, seconds, failures };
  }

  async #round(attack: Attack, index: number): Promise<boolean> {
    const { seed, watchdog, hangMs = usualHangMs } = this.#options;
    const dice = new Dice(`${seed}:${this.#target.name}:${index}`);
    const note = (reproduction: string) => {
      this.#attempts += 1;
      this.#latest = reproduction;
      watchdog?.watch(`${this.#target.name}, round ${index}: ${reproduction}`);
    };
    this.#rounds += 1;
    try {
      await withinLimit(hangMs, (startAnew) => {
        const trying = (reproduction: string) => {
          startAnew();
          note(reproduction);
        };
        return attack.round({ dice, trying });
      });
      return true;
    } catch (error) {
      this.#fail(index, error);
      return false;
    } finally {
      watchdog?.rest();
    }
  }

  async #checkGrowth(attack: Attack): Promise<void> {
    const warm = this.#warm;
    if (warm === undefined) return;
    const deadline = performance.now() + (this.#options.settleMs ?? usualSettleMs);
    while (true) {
      const now = await sizeOf(attack);
      const handles = now.handles - warm.handles;
      const bytes = now.bytes - warm.bytes;
      if (handles <= maxGrowth.handles && bytes <= maxGrowth.bytes) return;
      if (performance.now() > deadline) {
        const growth = `${handles} more handles, ${Math.round(bytes / 2 ** 20)} MiB more`;
        return this.#fail(undefined, new Error(`it leaks: ${growth}`));
      }
      await wait(lookMs);
    }
  }

  async #end(attack: Attack): Promise<void> {
    try {
      await withinLimit(endMs, () => attack.close?.());
    } catch (error) {
      this.#fail(undefined, error);
    }
  }

  #fail(round: number | undefined, error: unknown): void {
    const lines = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const reason = lines.split("\n").slice(0, maxLines).join("\n");
    this.#failures.push({ round, reason, reproduction: this.#latest });
  }
}

async function sizeOf(attack: Attack): Promise<ProcessSize> {
  return (await attack.size?.()) ?? (await sizeOfProcess());
}

/**
 * Half of the limit is ordinary time. The other half is measured by the fair clock, as reading all
 * processes for every attempt would take longer than most attempts.
 *
 * @param work gets a function that restarts the limit
 */
async function withinLimit(
  limitMs: number,
  work: (startAnew: () => void) => Promise<void> | undefined,
): Promise<void> {
  const limit = Promise.withResolvers<never>();
  let count = 0;
  const suspect = async () => {
    const suspected = count;
    const clock = new FairClock();
    while (clock.elapsedMs() < limitMs / 2) {
      await wait(lookMs);
      if (count !== suspected) return;
    }
    limit.reject(new Error(`it hangs: nothing for ${limitMs / 1000} s`));
  };
  const timer = setTimeout(() => void suspect(), limitMs / 2);
  const working = work(() => {
    count += 1;
    timer.refresh();
  });
  try {
    await Promise.race([working, limit.promise]);
  } finally {
    working?.catch(() => {}); // too late to report
    count += 1;
    clearTimeout(timer);
  }
}

// `npm run fuzz [-- TARGET[=ROUNDS]…]`: hostile input for everything that takes input, from a seed.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Played, play } from "./play.ts";
import { targets } from "./targets.ts";
import { Watchdog } from "./watchdog.ts";

const maxShown = 2000;
const wanted = new Map(process.argv.slice(2).map(readWord));
const { FUZZ_SEED: seed = String(Date.now()), FUZZ_ROUNDS = "1", FUZZ_ROUND } = process.env;
const factor = Number(FUZZ_ROUNDS);
if (!(factor > 0)) leave(`FUZZ_ROUNDS is ${FUZZ_ROUNDS}, but it must be a number above 0.`);
const only = FUZZ_ROUND === undefined ? undefined : Number(FUZZ_ROUND);
const watchdog = new Watchdog();
console.log(`Seed ${seed}`);
console.log(line(["target", "rounds", "attempts", "seconds", "failures"]));
let failures = 0;
for (const target of targets.filter(({ name }) => wanted.size === 0 || wanted.has(name))) {
  const rounds = wanted.get(target.name) ?? Math.max(1, Math.round(target.rounds * factor));
  const played = await play(target, { seed, rounds, only, watchdog });
  const { attempts, seconds } = played;
  const found = played.failures.length;
  console.log(line([target.name, played.rounds, attempts, seconds.toFixed(1), found]));
  tellFailures(played);
  failures += found;
}
process.exit(failures === 0 ? 0 : 1);

/** Reads `models`, or `models=100` for 100 rounds. */
function readWord(word: string): [string, number | undefined] {
  const [name = "", rounds] = word.split("=");
  if (targets.every((target) => target.name !== name)) {
    leave(`There is no target ${name}: ${targets.map((target) => target.name).join(", ")}.`);
  }
  if (rounds === undefined) return [name, undefined];
  if (!/^[1-9]\d*$/.test(rounds)) leave(`${word} has no number of rounds: ${name}=100.`);
  return [name, Number(rounds)];
}

function leave(reason: string): never {
  console.error(reason);
  process.exit(2);
}

function tellFailures({ name, rounds, failures }: Played): void {
  for (const { round, reason, reproduction } of failures) {
    const again =
      round === undefined
        ? `npm run fuzz -- ${name}=${rounds}`
        : `FUZZ_ROUND=${round} npm run fuzz -- ${name}`;
    console.log(`\n${name}: ${reason}`);
    console.log(`  tried: ${shown(reproduction)}`);
    console.log(`  again: FUZZ_SEED=${seed} ${again}\n`);
  }
}

function line([name, ...figures]: readonly (string | number)[]): string {
  return [String(name).padEnd(12), ...figures.map((each) => String(each).padStart(9))].join(" ");
}

/** Longer inputs are written to a file. */
function shown(reproduction: string): string {
  if (reproduction.length <= maxShown) return reproduction;
  const file = path.join(mkdtempSync(path.join(tmpdir(), "modelctl-fuzz-")), "reproduction.txt");
  writeFileSync(file, reproduction);
  return `${reproduction.slice(0, 200)}… (all of it: ${file})`;
}

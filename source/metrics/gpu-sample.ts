// Utilisation of graphics cards, as their vendors' tools report it.

import { execFile } from "node:child_process";
import { parseJson } from "../base/json.ts";

export interface GpuSample {
  name: string;
  /** 0 to 1; undefined if the card does not report it, as below. */
  load: number | undefined;
  memoryUsedBytes: number | undefined;
  memoryTotalBytes: number | undefined;
  temperatureCelsius: number | undefined;
  powerWatts: number | undefined;
}

interface Tool {
  program: string;
  words: string[];
  parse: (output: string) => GpuSample[];
}

const tools: readonly Tool[] = [
  {
    program: "nvidia-smi",
    words: [
      "--query-gpu=name,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw",
      "--format=csv,noheader,nounits",
    ],
    parse: parseNvidia,
  },
  {
    program: "rocm-smi",
    words: "--showproductname --showuse --showmeminfo vram --showtemp --showpower --json".split(
      " ",
    ),
    parse: parseRocm,
  },
];

const timeoutMs = 5000;

/** Runs each installed tool; cards whose tool fails are left out. */
export class GpuReader {
  #tools = tools;
  readonly #environment: NodeJS.ProcessEnv;

  /** @param environment its PATH locates the tools */
  constructor(environment: NodeJS.ProcessEnv = process.env) {
    this.#environment = environment;
  }

  /** Takes as long as the tools, up to 5 seconds. */
  async read(): Promise<GpuSample[]> {
    return (await Promise.all(this.#tools.map((tool) => this.#ask(tool)))).flat();
  }

  async #ask(tool: Tool): Promise<GpuSample[]> {
    return await new Promise((resolve) => {
      const options = { timeout: timeoutMs, windowsHide: true, env: this.#environment };
      execFile(tool.program, tool.words, options, (error, output) => {
        // Not installed: skipped from now on.
        if (error !== null && error.code === "ENOENT") {
          this.#tools = this.#tools.filter((other) => other !== tool);
        }
        resolve(error === null ? tool.parse(output) : []);
      });
    });
  }
}

/** Parses lines such as `NVIDIA H200, 35, 1024, 143771, 45, 120.50`; `[N/A]` for unknown values. */
export function parseNvidia(output: string): GpuSample[] {
  return output.split("\n").flatMap((line) => {
    const cells = line.split(",").map((cell) => cell.trim());
    if (cells.length < 6) return [];
    const [load, used, total, temperature, power] = cells.slice(-5).map(numberOf);
    return [
      {
        name: cells.slice(0, -5).join(", "),
        load: fraction(load),
        memoryUsedBytes: bytesOf(used),
        memoryTotalBytes: bytesOf(total),
        temperatureCelsius: temperature,
        powerWatts: power,
      },
    ];
  });
}

/** Parses `{"card0": {"GPU use (%)": "3", …}, …}`; field names differ between versions. */
export function parseRocm(output: string): GpuSample[] {
  // Warnings may come first; a version without these flags prints no JSON.
  const cards = parseJson(output.slice(Math.max(0, output.indexOf("{"))));
  return Object.entries(cards ?? {})
    .filter(([name, card]) => name.startsWith("card") && card !== null && typeof card === "object")
    .map(([name, card]) => {
      const field = (pattern: RegExp) => {
        const found = Object.entries(card as object).find(([label]) => pattern.test(label));
        return found === undefined ? undefined : String(found[1]);
      };
      return {
        name: field(/^card series/i) ?? field(/^card model/i) ?? name,
        load: fraction(numberOf(field(/^gpu use/i))),
        memoryUsedBytes: numberOf(field(/^vram total used memory/i)),
        memoryTotalBytes: numberOf(field(/^vram total memory/i)),
        temperatureCelsius: numberOf(field(/^temperature/i)),
        powerWatts: numberOf(field(/power \(w\)/i)),
      };
    });
}

function numberOf(text: string | undefined): number | undefined {
  const value = text === undefined || text === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function fraction(percent: number | undefined): number | undefined {
  return percent === undefined ? undefined : percent / 100;
}

function bytesOf(mebibytes: number | undefined): number | undefined {
  return mebibytes === undefined ? undefined : mebibytes * 2 ** 20;
}

// Keywords of a script's decorator. Errors name the keyword and its line.

import { quoteShort } from "../../base/display-text.ts";
import { ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import type { Inspection } from "./inspection.ts";

export interface NumberRange {
  least?: number;
  most?: number;
  /** Defaults to true. */
  isWhole?: boolean;
}

/** Flags that replace a keyword. */
const flags: Readonly<Record<string, string>> = {
  exposed_port: "--port",
  port: "--port",
  machine_type: "--machine-type",
  gpu: "--machine-type",
  num_gpus: "--gpus",
  health_path: "--health-path",
  health_status: "--health-status",
  auth: "--auth",
  app_auth: "--auth",
  requirements: "--requirement",
  startup_timeout: "--startup-timeout",
  request_timeout: "--request-timeout",
  drain_timeout: "--drain-timeout",
  min_concurrency: "--min-concurrency",
  max_concurrency: "--max-concurrency",
  concurrency_buffer: "--concurrency-buffer",
  concurrency_buffer_perc: "--concurrency-buffer-perc",
  max_multiplexing: "--max-multiplexing",
  scaling_delay: "--scaling-delay",
  keep_alive: "--keep-alive",
  sleep_after: "--sleep-after",
  stop_after: "--stop-after",
  cold_start: "--cold-start",
  sse_keepalive: "--sse-keepalive",
  models_cache: "--models-cache",
  early_stream: "--early-stream",
};

/** Modal's names of our keywords. */
const modalNames: Readonly<Record<string, string>> = {
  min_concurrency: "min_containers",
  max_concurrency: "max_containers",
  concurrency_buffer: "buffer_containers",
  keep_alive: "scaledown_window",
  scaling_delay: "scaleup_window",
  max_multiplexing: "max_inputs",
  request_timeout: "timeout",
  termination_grace: "exit_grace_period",
};

/** Reads keywords by our names; errors show the name in the script. */
export class ConfigKeywords {
  readonly #inspection: Inspection;

  constructor(inspection: Inspection) {
    this.#inspection = inspection;
  }

  /** @throws ProductError `CLOUD_CONFIG_INVALID`, as do all methods */
  number(name: string, { least = 0, most, isWhole = true }: NumberRange = {}): number | undefined {
    return this.#read(name, (value) => {
      const isFit =
        typeof value === "number" &&
        (!isWhole || Number.isInteger(value)) &&
        value >= least &&
        (most === undefined || value <= most);
      const kind = isWhole ? "a whole number" : "a number";
      const range = most === undefined ? `, ${least} or more` : ` from ${least} to ${most}`;
      return isFit ? value : this.#reject(name, value, `${kind}${range}`);
    });
  }

  /** @returns milliseconds of a keyword in seconds */
  seconds(name: string): number | undefined {
    const seconds = this.number(name, { isWhole: false });
    return seconds === undefined ? undefined : Math.round(seconds * 1000);
  }

  text(name: string): string | undefined {
    return this.#read(name, (value) =>
      typeof value === "string" && value !== "" ? value : this.#reject(name, value, "a string"),
    );
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    return this.#read(
      name,
      (value) =>
        choices.find((choice) => choice === value) ??
        this.#reject(name, value, `one of ${choices.join(", ")}`),
    );
  }

  flag(name: string): boolean {
    const read = this.#read(name, (value) =>
      typeof value === "boolean" ? value : this.#reject(name, value, "True or False"),
    );
    return read ?? false;
  }

  /** Flattens lists of lists, the layers of fal's requirements. */
  texts(name: string): string[] | undefined {
    return this.#read(name, (value) => {
      const parts: unknown[] = Array.isArray(value) ? value.flat() : [undefined];
      return parts.every((part) => typeof part === "string" && part !== "")
        ? (parts as string[])
        : this.#reject(name, value, "a list of strings");
    });
  }

  pairs(name: string): Record<string, string> | undefined {
    return this.#read(name, (value) => {
      const entries = Object.entries(Object(value));
      const isFit =
        typeof value === "object" &&
        !Array.isArray(value) &&
        entries.every(([, one]) => typeof one === "string" || typeof one === "number");
      return isFit
        ? Object.fromEntries(entries.map(([key, one]) => [key, String(one)]))
        : this.#reject(name, value, "a dictionary of strings");
    });
  }

  /** Reads a string as a list of one. */
  textOrTexts(name: string): string[] | undefined {
    if (Array.isArray(this.#inspection.config[this.#nameInScript(name)])) return this.texts(name);
    const text = this.text(name);
    return text === undefined ? undefined : [text];
  }

  /** Describes a keyword, such as "exposed_port of serve (line 12)". */
  place(name: string): string {
    const { target, line } = this.#inspection;
    return `${this.#nameInScript(name)} of ${target} (line ${line})`;
  }

  /** Returns an error about a value that only its reader can judge. */
  invalid(name: string, fault: string, hint = "Fix the value."): ProductError {
    const message = `${this.place(name)} ${fault}.`;
    return new ProductError(cloudErrors.configInvalid, { message, hint, param: name });
  }

  #read<T>(name: string, parse: (value: unknown) => T): T | undefined {
    const { config, dynamic } = this.#inspection;
    const own = this.#nameInScript(name);
    const value = config[own];
    if (value !== undefined && value !== null) return parse(value);
    if (!dynamic.includes(own)) return undefined;
    throw this.#error(
      name,
      "cannot be determined without running the script",
      "Make it a constant",
    );
  }

  #nameInScript(name: string): string {
    return (this.#inspection.dialect === "modal" ? modalNames[name] : undefined) ?? name;
  }

  #reject(name: string, value: unknown, wanted: string): never {
    const text =
      typeof value === "string" ? quoteShort(value, 80) : JSON.stringify(value).slice(0, 80);
    throw this.#error(name, `is ${text}; expected ${wanted}`, "Fix the value");
  }

  #error(name: string, fault: string, remedy: string): ProductError {
    const flag = flags[name];
    return new ProductError(cloudErrors.configInvalid, {
      message: `${this.place(name)} ${fault}.`,
      hint: flag === undefined ? `${remedy}.` : `${remedy}, or use ${flag}.`,
      param: name,
    });
  }
}

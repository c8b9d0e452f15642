// Servers that batch requests, recognised by the commands that start them.
import path from "node:path";
import type { Inspection, InspectionWarning } from "./inspection.ts";

/** Default number of concurrent requests for a replica of such a server. */
const batchingMultiplexing = 64;

const programs = new Set([
  "vllm",
  "sglang",
  "llama-server",
  "text-generation-launcher",
  "text-generation-server",
  "lmdeploy",
  "trtllm-serve",
  "aphrodite",
  "modelctl",
]);
const modules = /^(vllm|sglang|lmdeploy|aphrodite|mlx_lm|llama_cpp)\b/;

/** Returns the server that a command starts, such as "vllm"; undefined for others. */
export function batchingServer(command: readonly string[]): string | undefined {
  const [program = ""] = command;
  const name = path.basename(program);
  if (programs.has(name)) return name;
  const module = command[command.indexOf("-m") + 1] ?? "";
  return /^python[\d.]*$/.test(name) && command.includes("-m")
    ? modules.exec(module)?.[1]
    : undefined;
}

/** Keywords of dialects that send a replica one request at a time by default, which is kept. */
const concurrency: Readonly<Partial<Record<Inspection["dialect"], string>>> = {
  fal: "max_multiplexing",
  modal: "max_inputs",
};

/** Returns the concurrent requests of a replica where neither script nor flags set them. */
export function defaultMultiplexing({ dialect, command }: Inspection): number {
  const isKept = concurrency[dialect] !== undefined;
  return isKept || batchingServer(command) === undefined ? 1 : batchingMultiplexing;
}

/** Warns when a server that can batch gets one request at a time. */
export function batchingHint(inspection: Inspection): InspectionWarning | undefined {
  const { dialect, config, dynamic, command, line } = inspection;
  const server = batchingServer(command);
  const name = concurrency[dialect];
  if (name === undefined || server === undefined) return undefined;
  if (config[name] !== undefined || dynamic.includes(name)) return undefined;
  const keyword = dialect === "modal" ? `@modal.concurrent(${name}=…)` : name;
  return {
    code: "batching_server",
    sentence:
      `${server} can serve many requests at once, but each replica gets one at a time. ` +
      `Set ${keyword}, for example with --max-multiplexing ${batchingMultiplexing}.`,
    line,
  };
}

// Servers that batch requests, recognised by the commands that start them.
import path from "node:path";
import type { Inspection, InspectionWarning } from "./inspection.ts";

/** Default number of concurrent requests for a replica of such a server. */
export const batchingMultiplexing = 64;

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

/** Warns about fal's default of one request at a time per replica, which is kept. */
export function batchingHint(inspection: Inspection): InspectionWarning | undefined {
  const { dialect, config, dynamic, command, line } = inspection;
  const server = batchingServer(command);
  const isSaid = config.max_multiplexing !== undefined || dynamic.includes("max_multiplexing");
  if (dialect !== "fal" || server === undefined || isSaid) return undefined;
  return {
    code: "batching_server",
    sentence:
      `${server} can serve many requests at once, but each replica gets one at a time. ` +
      `Set max_multiplexing, for example with --max-multiplexing ${batchingMultiplexing}.`,
    line,
  };
}

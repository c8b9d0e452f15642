// Servers that answer many requests at a time, told by the commands that start them.
import path from "node:path";
import type { Inspection, InspectionWarning } from "./inspection.ts";

/** Requests that one replica of such a server gets, when the script does not say. */
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

/** The server that a command starts, such as "vllm"; undefined when it is none of those. */
export function batchingServer(command: readonly string[]): string | undefined {
  const [program = ""] = command;
  const name = path.basename(program);
  if (programs.has(name)) return name;
  const module = command[command.indexOf("-m") + 1] ?? "";
  return /^python[\d.]*$/.test(name) && command.includes("-m")
    ? modules.exec(module)?.[1]
    : undefined;
}

/** fal lets one request at a time into a replica unless told otherwise; that is kept, and said. */
export function batchingHint(inspection: Inspection): InspectionWarning | undefined {
  const { dialect, config, dynamic, command, line } = inspection;
  const server = batchingServer(command);
  const isSaid = config.max_multiplexing !== undefined || dynamic.includes("max_multiplexing");
  if (dialect !== "fal" || server === undefined || isSaid) return undefined;
  return {
    code: "batching_server",
    sentence:
      `${server} answers many requests at a time, but the app lets 1 into a replica: ` +
      `set max_multiplexing, such as --max-multiplexing ${batchingMultiplexing}.`,
    line,
  };
}

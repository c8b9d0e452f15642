// Programs that a script runs: the check before anything starts, and commands that install them.
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import type { Inspection } from "./inspection.ts";

export interface ExecutableSearch {
  /** Folders separated by `:`, as in PATH. */
  searchPath: string;
  /** Base folder of relative names such as `./server`. */
  folder: string;
  /** Image of the script, whose versions the hint uses. */
  image?: Inspection["image"];
}

/** Returns the names that no replica could run, in order. */
export function missingExecutables(
  names: readonly string[],
  { searchPath, folder }: Pick<ExecutableSearch, "searchPath" | "folder">,
): string[] {
  const folders = searchPath.split(path.delimiter).filter((entry) => entry !== "");
  return names.filter((name) => {
    if (name.includes("/")) return !isExecutable(path.resolve(folder, name));
    return !folders.some((entry) => isExecutable(path.resolve(folder, entry, name)));
  });
}

/**
 * @throws ProductError `CLOUD_EXECUTABLE_MISSING`, with the install command for the first as its
 * hint
 */
export function checkExecutables(names: readonly string[], search: ExecutableSearch): void {
  const missing = missingExecutables(names, search);
  const [first] = missing;
  if (first === undefined) return;
  const isPath = first.includes("/");
  const verb = missing.length === 1 ? "is" : "are";
  const fault = isPath ? "missing or not executable" : "not on the PATH of its replicas";
  throw new ProductError(cloudErrors.executableMissing, {
    message: `The script runs ${missing.join(", ")}, which ${verb} ${fault}.`,
    hint: hintFor(first, search.image),
  });
}

function hintFor(name: string, image: Inspection["image"]): string {
  if (name.includes("/")) return `Fix the path, or add the file with --include ${name}.`;
  const line = installLine(name, image);
  if (line === undefined) {
    return `Install ${name}, or add its folder with --env PATH=FOLDER:$PATH.`;
  }
  const requirement = packageOf(name, image);
  return requirement === undefined
    ? `Install it: ${line}`
    : `Install it: ${line} (or for this app alone: --requirement '${requirement}')`;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // missing, or not accessible
  }
}

/** Programs that come with a Python package. */
const packages: Readonly<Record<string, string>> = {
  vllm: "vllm",
  sglang: "sglang[all]",
  lmdeploy: "lmdeploy",
  uvicorn: "uvicorn",
  gunicorn: "gunicorn",
  hypercorn: "hypercorn",
  litellm: "litellm[proxy]",
  "huggingface-cli": "huggingface_hub",
  hf: "huggingface_hub",
  ray: "ray[serve]",
  bentoml: "bentoml",
  streamlit: "streamlit",
  gradio: "gradio",
  torchrun: "torch",
  accelerate: "accelerate",
};

/** Other programs: Homebrew on macOS, Debian elsewhere. */
const systemPrograms: Readonly<Record<string, { mac: string; other: string }>> = {
  // The project recommends Homebrew on Linux too.
  "llama-server": { mac: "brew install llama.cpp", other: "brew install llama.cpp" },
  ollama: { mac: "brew install ollama", other: "curl -fsSL https://ollama.com/install.sh | sh" },
  modelctl: { mac: "npm install --global modelctl", other: "npm install --global modelctl" },
  uv: { mac: "brew install uv", other: "curl -LsSf https://astral.sh/uv/install.sh | sh" },
  node: { mac: "brew install node", other: "sudo apt-get install nodejs" },
  npm: { mac: "brew install node", other: "sudo apt-get install npm" },
  python: { mac: "brew install python", other: "sudo apt-get install python-is-python3" },
};

/** Programs whose Debian and Homebrew packages have the same name. */
const namesakes = new Set(["curl", "git", "wget", "ffmpeg", "nginx", "caddy", "jq", "socat"]);

/** Returns the requirement that installs a program; undefined when no Python package does. */
export function packageOf(program: string, image: Inspection["image"]): string | undefined {
  const name = packages[program];
  return name === undefined ? undefined : pinned(name, image);
}

/** @returns a shell command; undefined for an unknown program */
export function installLine(
  program: string,
  image: Inspection["image"],
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const isMac = platform === "darwin";
  const name = packageOf(program, image);
  if (name !== undefined) return `python3 -m pip install ${quoted(name)}`;
  const system = systemPrograms[program];
  if (system !== undefined) return isMac ? system.mac : system.other;
  if (!namesakes.has(program)) return undefined;
  return isMac ? `brew install ${program}` : `sudo apt-get install ${program}`;
}

/** Returns the version from the script's image: `vllm/vllm-openai:v0.15.1` gives vllm==0.15.1. */
function pinned(name: string, image: Inspection["image"]): string {
  const plain = name.replace(/\[.*/, "");
  const listed = image?.pip.find((one) => one.replace(/[[=<>!~ ].*/, "") === plain);
  if (listed !== undefined) return listed;
  const [, repository = "", tag = ""] = /^(.*):v?(\d+(?:\.\d+)+)/.exec(image?.base ?? "") ?? [];
  return repository.split("/").some((part) => part === plain) ? `${name}==${tag}` : name;
}

function quoted(word: string): string {
  return /^[\w.=-]+$/.test(word) ? word : `'${word}'`;
}

// Checks for `deployctl doctor` if this machine can run apps.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { formatBytes } from "../base/formats.ts";
import { freeSpace } from "../base/free-space.ts";
import { describeError, ProductError } from "../base/product-error.ts";
import { systemCode } from "../base/write-refusal.ts";
import type { ServerStatus } from "../cloud/admin/documents.ts";
import { findControlPlane } from "./control-plane-process.ts";
import { examineEngine as reportOnEngine } from "./engine-choice.ts";
import { examineNodes } from "./examine-nodes.ts";
import type { Finding } from "./finding.ts";

const execute = promisify(execFile);
const limitMs = 15_000;
/** Free space that the database needs for any change. */
const leastBytes = 2 ** 20;

const examinations = {
  system: async () => examineSystem(),
  python: examinePython,
  venv: examineVirtualEnvironments,
  gpu: examineGpus,
  state: examineState,
  server: examineControlPlane,
  engine: examineEngine,
} as const;

/** Names of the checks. */
export type Examined = keyof typeof examinations;

export async function examineCloud(stateFolder: string): Promise<Finding[]> {
  const all = Object.values(examinations);
  const findings = await Promise.all(all.map((examination) => examination(stateFolder)));
  const isEngineUsable = findings.every(({ subject, kind }) => {
    return subject !== "engine" || kind === "ok";
  });
  return isEngineUsable ? [...findings, ...(await examineNodes(stateFolder))] : findings;
}

export async function examine(subject: Examined, stateFolder: string): Promise<Finding> {
  return await examinations[subject](stateFolder);
}

function examineSystem(): Finding {
  const subject = "system";
  if (existsSync("/proc/self/stat")) {
    return { subject, kind: "ok", sentence: `${process.platform}, Node ${process.versions.node}` };
  }
  return {
    subject,
    kind: "fault",
    sentence: `${process.platform} has no /proc, which is needed to find replicas after a crash.`,
    hint: "Run deployctl on Linux.",
  };
}

async function examinePython(): Promise<Finding> {
  const subject = "python";
  const hint = "Install Python 3.8 or newer as python3 to run scripts.";
  const version = "import sys; print('.'.join(map(str, sys.version_info[:3])))";
  try {
    const { stdout } = await execute("python3", ["-c", version], { timeout: limitMs });
    const text = stdout.trim();
    const [major = 0, minor = 0] = text.split(".").map(Number);
    const isNewEnough = major > 3 || (major === 3 && minor >= 8);
    if (isNewEnough) return { subject, kind: "ok", sentence: `python3 is ${text}` };
    return { subject, kind: "fault", sentence: `python3 ${text} is too old.`, hint };
  } catch (error) {
    return { subject, kind: "fault", sentence: `python3 cannot be run: ${reasonOf(error)}.`, hint };
  }
}

async function examineVirtualEnvironments(): Promise<Finding> {
  const subject = "venv";
  try {
    await execute("python3", ["-c", "import venv, ensurepip"], { timeout: limitMs });
    return { subject, kind: "ok", sentence: "can install requirements of scripts" };
  } catch {
    return {
      subject,
      kind: "warning",
      sentence: "python3 has no venv with pip, so scripts with requirements cannot run.",
      hint: "On Debian: apt install python3-venv.",
    };
  }
}

async function examineGpus(): Promise<Finding> {
  const subject = "gpu";
  const query = ["--query-gpu=name,memory.total", "--format=csv,noheader"];
  try {
    const { stdout } = await execute("nvidia-smi", query, { timeout: limitMs });
    const cards = stdout.split("\n").filter((line) => line.trim() !== "");
    if (cards.length > 0) return { subject, kind: "ok", sentence: cards.join("; ") };
  } catch {
    // without driver or GPU: the processor
  }
  return {
    subject,
    kind: "warning",
    sentence: "No NVIDIA GPU: scripts that require one are refused.",
    hint: "Use --machine-type any to run them on this hardware.",
  };
}

async function examineState(stateFolder: string): Promise<Finding> {
  const subject = "state";
  const free = (await freeSpace(stateFolder)) ?? 0;
  const place = `${stateFolder}, ${formatBytes(free)} free`;
  if (free > 2 ** 30) return { subject, kind: "ok", sentence: place };
  if (free < leastBytes) {
    const hint = "Free some space, or choose another folder with --state-dir.";
    return { subject, kind: "fault", sentence: `${place}: not writable.`, hint };
  }
  return {
    subject,
    kind: "warning",
    sentence: `${place}: too little for weights and environments.`,
    hint: "Choose another folder with --state-dir.",
  };
}

async function examineControlPlane(stateFolder: string): Promise<Finding> {
  const subject = "server";
  let status: ServerStatus | undefined;
  try {
    status = await findControlPlane(stateFolder);
  } catch (error) {
    return { subject, kind: "fault", sentence: describeError(error) };
  }
  if (status === undefined) {
    return { subject, kind: "ok", sentence: "not running; deploy and run start it" };
  }
  if (status.problem !== undefined) {
    const hint = "Until then no replica is started or replaced.";
    return { subject, kind: "fault", sentence: status.problem, hint };
  }
  return {
    subject,
    kind: "ok",
    sentence: `ready at ${status.baseUrl}, ${status.apps} app${status.apps === 1 ? "" : "s"}`,
  };
}

async function examineEngine(stateFolder: string): Promise<Finding> {
  const subject = "engine";
  try {
    const report = await reportOnEngine(stateFolder);
    if (report.engine === "process") {
      return { subject, kind: "ok", sentence: "processes of this machine" };
    }
    const nodes = report.nodes.map(({ name, free }) => `${name} with ${free} free`).join("; ");
    return {
      subject,
      kind: "ok",
      sentence: `Ray ${report.version} at ${report.address}, Serve on port ${report.proxyPort}: ${nodes}`,
    };
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    const { message, hint } = error;
    return { subject, kind: "fault", sentence: message, ...(hint !== undefined && { hint }) };
  }
}

function reasonOf(error: unknown): string {
  if (systemCode(error) === "ENOENT") return "not found";
  return describeError(error).split("\n")[0] ?? "";
}

// Checks for `deployctl doctor` if this machine can run apps.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { formatBytes } from "../../base/formats.ts";
import { freeSpace } from "../../base/free-space.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { findControlPlane } from "./cloud-server.ts";
import { examineEngine as reportOnEngine } from "./engine-choice.ts";
import { examineNodes } from "./examine-nodes.ts";
import { type Finding, fault, ok, type Verdict, warning } from "./finding.ts";

const execute = promisify(execFile);
const limitMs = 15_000;
/** Free space that the database needs for any change. */
const leastBytes = 2 ** 20;

const examinations = {
  system: examineSystem,
  python: examinePython,
  venv: examineVirtualEnvironments,
  gpu: examineGpus,
  state: examineState,
  server: examineControlPlane,
  engine: examineEngine,
} as const;

export type Examined = keyof typeof examinations;

export async function examineCloud(stateFolder: string): Promise<Finding[]> {
  const subjects = Object.keys(examinations) as Examined[];
  const findings = await Promise.all(subjects.map((subject) => examine(subject, stateFolder)));
  const engine = findings.find(({ subject }) => subject === "engine");
  return engine?.kind === "ok" ? [...findings, ...(await examineNodes(stateFolder))] : findings;
}

export async function examine(subject: Examined, stateFolder: string): Promise<Finding> {
  return { subject, ...(await examinations[subject](stateFolder)) };
}

async function examineSystem(): Promise<Verdict> {
  if (existsSync("/proc/self/stat")) {
    return ok(`${process.platform}, Node ${process.versions.node}`);
  }
  return fault(
    `${process.platform} has no /proc, which is needed to find replicas after a crash.`,
    "Run deployctl on Linux.",
  );
}

async function examinePython(): Promise<Verdict> {
  const hint = "Install Python 3.8 or newer as python3 to run scripts.";
  const version = "import sys; print('.'.join(map(str, sys.version_info[:3])))";
  try {
    const { stdout } = await execute("python3", ["-c", version], { timeout: limitMs });
    const text = stdout.trim();
    const [major = 0, minor = 0] = text.split(".").map(Number);
    const isNewEnough = major > 3 || (major === 3 && minor >= 8);
    return isNewEnough ? ok(`python3 is ${text}`) : fault(`python3 ${text} is too old.`, hint);
  } catch (error) {
    return fault(`python3 cannot be run: ${reasonOf(error)}.`, hint);
  }
}

async function examineVirtualEnvironments(): Promise<Verdict> {
  try {
    await execute("python3", ["-c", "import venv, ensurepip"], { timeout: limitMs });
    return ok("can install requirements of scripts");
  } catch {
    return warning(
      "python3 has no venv with pip, so scripts with requirements cannot run.",
      "On Debian: apt install python3-venv.",
    );
  }
}

async function examineGpus(): Promise<Verdict> {
  const query = ["--query-gpu=name,memory.total", "--format=csv,noheader"];
  try {
    const { stdout } = await execute("nvidia-smi", query, { timeout: limitMs });
    const cards = stdout.split("\n").filter((line) => line.trim() !== "");
    if (cards.length > 0) return ok(cards.join("; "));
  } catch {
    // without driver or GPU: the processor
  }
  return warning(
    "No NVIDIA GPU: scripts that require one are refused.",
    "Use --machine-type any to run them on this hardware.",
  );
}

async function examineState(stateFolder: string): Promise<Verdict> {
  const free = (await freeSpace(stateFolder)) ?? 0;
  const place = `${stateFolder}, ${formatBytes(free)} free`;
  if (free > 2 ** 30) return ok(place);
  if (free < leastBytes) {
    const hint = "Free some space, or choose another folder with --state-dir.";
    return fault(`${place}: not writable.`, hint);
  }
  return warning(
    `${place}: too little for weights and environments.`,
    "Choose another folder with --state-dir.",
  );
}

async function examineControlPlane(stateFolder: string): Promise<Verdict> {
  try {
    const status = await findControlPlane(stateFolder);
    if (status === undefined) return ok("not running; deploy and run start it");
    const { problem, baseUrl, apps } = status;
    return problem === undefined
      ? ok(`ready at ${baseUrl}, ${apps} app${apps === 1 ? "" : "s"}`)
      : fault(problem, "Until then no replica is started or replaced.");
  } catch (error) {
    return fault(describeError(error));
  }
}

async function examineEngine(stateFolder: string): Promise<Verdict> {
  try {
    const report = await reportOnEngine(stateFolder);
    if (report.engine === "process") return ok("processes of this machine");
    const nodes = report.nodes.map(({ name, free }) => `${name} with ${free} free`).join("; ");
    return ok(
      `Ray ${report.version} at ${report.address}, Serve on port ${report.proxyPort}: ${nodes}`,
    );
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    return fault(error.message, error.hint);
  }
}

function reasonOf(error: unknown): string {
  if (systemCode(error) === "ENOENT") return "not found";
  return describeError(error).split("\n")[0] ?? "";
}

// Checks for `deployctl doctor` if the nodes of a Ray cluster can run apps.
import { oldestNode } from "../../base/package-facts.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { readEngineSettings } from "../../cloud/engines/engine-settings.ts";
import { type NodeReport, reportNodes } from "../../cloud/engines/ray/node-report.ts";
import { nameOfNode } from "../../cloud/engines/ray/node-resources.ts";
import { rayClientOf } from "./engine-choice.ts";
import { type Finding, fault, ok, type Verdict, warning } from "./finding.ts";

/** Asks all nodes of the engine's cluster; returns nothing for processes of this machine. */
export async function examineNodes(stateFolder: string): Promise<Finding[]> {
  const settings = readEngineSettings(stateFolder);
  if (settings.kind === "process") return [];
  try {
    return findingsOf(await reportNodes(rayClientOf(settings)));
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    return [{ subject: "node", ...fault(describeError(error), error.hint) }];
  }
}

/** @param reports those of all nodes of a cluster */
export function findingsOf(reports: readonly NodeReport[]): Finding[] {
  const nodes = reports.map(({ node_id: id, address: ip }) => ({ id, ip }));
  const head = reports.find(({ is_head }) => is_head);
  return reports.map((report) => {
    const role = report.is_head ? " (head)" : "";
    const name = `${nameOfNode(report.node_id, nodes)}${role}`;
    return { subject: "node", ...verdictOn(report, head, name) };
  });
}

function verdictOn(report: NodeReport, head: NodeReport | undefined, name: string): Verdict {
  const { python, ray, node, modelctl, serve_error: serveError, error } = report;
  if (error !== null) {
    return fault(`${name} did not answer: ${error}`, "Look at the node in Ray's dashboard.");
  }
  const versions = [
    `Python ${python}`,
    `Ray ${ray}`,
    node === null ? "no Node" : `Node ${node}`,
    modelctl === null ? "no modelctl" : `modelctl ${modelctl}`,
  ];
  const sentence = `${name}: ${versions.join(", ")}`;
  if (serveError !== null) {
    return fault(
      `${name} cannot import ray.serve: ${serveError}`,
      'Run there: pip install "ray[serve]" jinja2, and start Ray again.',
    );
  }
  const expected = minorOf(head?.python ?? python);
  if (minorOf(python) !== expected) {
    return fault(
      sentence,
      `Use Python ${expected} as on the head; packages and replicas may fail.`,
    );
  }
  const needed = oldestNode();
  if (node !== null && isOlder(node, needed)) {
    return warning(
      sentence,
      `Models of modelctl need Node ${needed} or newer: install it there, on the PATH of ray start.`,
    );
  }
  if (node !== null && modelctl !== null) return ok(sentence);
  return warning(
    sentence,
    "Only models of modelctl need them: npm install -g modelctl, on the PATH of ray start.",
  );
}

/** Compares versions such as `22.13` and `22.9.1`. */
function isOlder(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = needed.split(".").map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

/** Returns `3.11` of `3.11.7`. */
function minorOf(version: string | null): string {
  return (version ?? "").split(".").slice(0, 2).join(".");
}

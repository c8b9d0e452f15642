// Checks for `deployctl doctor` if the nodes of a Ray cluster can run apps.
import { describeError, ProductError } from "../base/product-error.ts";
import { readEngineSettings } from "../cloud/engines/engine-settings.ts";
import { type NodeReport, reportNodes } from "../cloud/engines/ray/node-report.ts";
import { nameOfNode } from "../cloud/engines/ray/node-resources.ts";
import { rayClientOf } from "./engine-choice.ts";
import type { Finding } from "./finding.ts";

const subject = "node";

/** Asks all nodes of the engine's cluster; returns nothing for processes of this machine. */
export async function examineNodes(stateFolder: string): Promise<Finding[]> {
  const settings = readEngineSettings(stateFolder);
  if (settings.kind === "process") return [];
  try {
    return findingsOf(await reportNodes(rayClientOf(settings)));
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    const { hint } = error;
    const sentence = describeError(error);
    return [{ subject, kind: "fault", sentence, ...(hint !== undefined && { hint }) }];
  }
}

/** @param reports those of all nodes of a cluster */
export function findingsOf(reports: readonly NodeReport[]): Finding[] {
  const nodes = reports.map(({ node_id: id, address: ip }) => ({ id, ip }));
  const head = reports.find(({ is_head }) => is_head);
  return reports.map((report) => {
    const role = report.is_head ? " (head)" : "";
    return findingOf(report, head, `${nameOfNode(report.node_id, nodes)}${role}`);
  });
}

function findingOf(report: NodeReport, head: NodeReport | undefined, name: string): Finding {
  const { python, ray, node, modelctl, serve_error: serveError, error } = report;
  if (error !== null) {
    const sentence = `${name} did not answer: ${error}`;
    return { subject, kind: "fault", sentence, hint: "Look at the node in Ray's dashboard." };
  }
  const versions = [
    `Python ${python}`,
    `Ray ${ray}`,
    node === null ? "no Node" : `Node ${node}`,
    modelctl === null ? "no modelctl" : `modelctl ${modelctl}`,
  ];
  const sentence = `${name}: ${versions.join(", ")}`;
  if (serveError !== null) {
    return {
      subject,
      kind: "fault",
      sentence: `${name} cannot import ray.serve: ${serveError}`,
      hint: 'Run there: pip install "ray[serve]" jinja2, and start Ray again.',
    };
  }
  const expected = minorOf(head?.python ?? python);
  if (minorOf(python) !== expected) {
    const hint = `Use Python ${expected} as on the head; packages and replicas may fail.`;
    return { subject, kind: "fault", sentence, hint };
  }
  if (node !== null && modelctl !== null) return { subject, kind: "ok", sentence };
  const hint =
    "Only models of modelctl need them: npm install -g modelctl, on the PATH of ray start.";
  return { subject, kind: "warning", sentence, hint };
}

/** Returns `3.11` of `3.11.7`. */
function minorOf(version: string | null): string {
  return (version ?? "").split(".").slice(0, 2).join(".");
}

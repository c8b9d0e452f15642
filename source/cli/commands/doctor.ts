// modelctl doctor: devices that can run models, and how to enable others.
import os from "node:os";
import {
  type DeviceExamination,
  examineDevices,
} from "../../application/devices/examine-devices.ts";
import { formatMemory } from "../../base/formats.ts";
import { packageVersion } from "../../base/package-facts.ts";
import { exitCodes } from "../../base/product-error.ts";
import { printDocument } from "../output.ts";
import type { Run } from "../program/definition.ts";
import { readSettings } from "../session-settings.ts";
import type { toolCommands } from "./tools.definition.ts";

export const doctor: Run<typeof toolCommands.doctor> = async (_words, flags) => {
  const settings = readSettings(flags);
  const report = await examineDevices(settings.values.gpu);
  if (flags.json) printDocument(documentOf(report));
  else process.stdout.write(`${linesOf(report).join("\n")}\n`);
  return report.chosen === undefined ? exitCodes.loadFailed : exitCodes.ok;
};

const cpu = () => os.cpus()[0]?.model ?? "unknown processor";

function linesOf({
  engineVersion,
  devices,
  chosen,
  reason,
  vision,
  extension,
  rocmAdvice,
}: DeviceExamination) {
  const names =
    chosen === undefined || chosen.names.length === 0 ? "" : ` (${chosen.names.join(", ")})`;
  return [
    `modelctl ${packageVersion()}, Node ${process.versions.node}, ${process.platform} ${process.arch}`,
    `CPU: ${cpu()}, ${os.availableParallelism()} cores; memory ${formatMemory(os.totalmem())}`,
    `Engine: node-llama-cpp ${engineVersion}; for images also ${vision.prebuilt}`,
    "",
    "Devices",
    ...devices.map(
      ({ isAvailable, kind, text }) => `  ${isAvailable ? "✓" : "○"} ${kind.padEnd(7)} ${text}`,
    ),
    "",
    `Models run on: ${chosen?.kind ?? "nothing"}${names}. ${reason}`,
    `Images are read by: ${vision.inUse}`,
    `Engine extension: ${extension}`,
    "",
    rocmAdvice,
  ];
}

/** Documented in docs/models.md: fields are added, but never renamed or removed. */
function documentOf({
  engineVersion,
  devices,
  chosen,
  reason,
  vision,
  extension,
}: DeviceExamination) {
  return {
    version: packageVersion(),
    node: process.versions.node,
    platform: process.platform,
    architecture: process.arch,
    cpu: { name: cpu(), cores: os.availableParallelism() },
    memoryBytes: os.totalmem(),
    engine: { name: "node-llama-cpp", version: engineVersion, extension },
    devices: devices.map(({ kind, isAvailable, text }) => ({ kind, isAvailable, text })),
    models: { device: chosen?.kind ?? null, names: chosen?.names ?? [], reason },
    images: { reader: vision.inUse, prebuilt: vision.prebuilt },
  };
}

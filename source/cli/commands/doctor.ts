// modelctl doctor: devices that can run models, and how to enable others.
import os from "node:os";
import { examineDevices } from "../../application/examine-devices.ts";
import { formatMemory } from "../../base/formats.ts";
import { packageVersion } from "../../base/package-facts.ts";
import { exitCodes } from "../../base/product-error.ts";
import type { Run } from "../program/definition.ts";
import { readSettings } from "../session-settings.ts";
import type { toolCommands } from "./tools.definition.ts";

export const doctor: Run<typeof toolCommands.doctor> = async (_words, flags) => {
  const settings = readSettings(flags);
  const report = await examineDevices(settings.values.gpu);
  const cpu = os.cpus()[0]?.model ?? "unknown processor";
  const lines = [
    `modelctl ${packageVersion()}, Node ${process.versions.node}, ${process.platform} ${process.arch}`,
    `CPU: ${cpu}, ${os.availableParallelism()} cores; memory ${formatMemory(os.totalmem())}`,
    `Engine: node-llama-cpp ${report.engineVersion}; for images also ${report.vision.prebuilt}`,
    "",
    "Devices",
    ...report.devices.map(({ mark, kind, text }) => `  ${mark} ${kind.padEnd(7)} ${text}`),
    "",
    `Models run on: ${report.chosen}`,
    `Images are read by: ${report.vision.inUse}`,
    "",
    report.rocmAdvice,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return report.works ? exitCodes.ok : exitCodes.loadFailed;
};

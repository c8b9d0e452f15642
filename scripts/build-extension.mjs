// Builds the engine extension for the CPU once, if git, cmake and a C++ compiler are installed.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildExtension } from "../source/application/devices/build-extension.ts";
import {
  extensionFileName,
  extensionFolders,
  extensionSources,
} from "../source/engine/text/engine-extension.ts";

const hash = createHash("sha256");
for (const name of extensionSources) {
  hash.update(readFileSync(fileURLToPath(new URL(`../native/${name}`, import.meta.url))));
}
const wanted = hash.digest("hex");
const [, folder] = extensionFolders("cpu");
const stamp = `${folder}/sources.sha256`;
const isBuilt =
  existsSync(`${folder}/${extensionFileName}`) &&
  existsSync(stamp) &&
  readFileSync(stamp, "utf8") === wanted;
if (!isBuilt) {
  console.log("Building the engine extension (once)…");
  try {
    const work = { onProgress: () => {}, signal: undefined };
    await buildExtension("cpu", work, { folder, withCpu: false });
    writeFileSync(stamp, wanted);
  } catch (error) {
    console.log(`${error.message} Models run without what it adds; see modelctl doctor.`);
  }
}

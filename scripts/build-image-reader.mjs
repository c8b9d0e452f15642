// Builds the image reader for the CPU once, if git, cmake and a C++ compiler are installed. Without it a
// slower engine reads images.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildImageReader } from "../source/application/devices/build-image-reader.ts";
import { imageReaderFileName, imageReaderFolders } from "../source/engine/text/image-reader.ts";

const sources = ["../native/image-reader.cpp", "../native/CMakeLists.txt"];
const hash = createHash("sha256");
for (const name of sources)
  hash.update(readFileSync(fileURLToPath(new URL(name, import.meta.url))));
const wanted = hash.digest("hex");
const [, folder] = imageReaderFolders("cpu");
const stamp = `${folder}/sources.sha256`;
const isBuilt =
  existsSync(`${folder}/${imageReaderFileName}`) &&
  existsSync(stamp) &&
  readFileSync(stamp, "utf8") === wanted;
if (!isBuilt) {
  console.log("Building the image reader (once)…");
  try {
    const work = { onProgress: () => {}, signal: undefined };
    await buildImageReader("cpu", work, { folder, withCpu: false });
    writeFileSync(stamp, wanted);
  } catch (error) {
    console.log(`${error.message} A slower engine will read images.`);
  }
}

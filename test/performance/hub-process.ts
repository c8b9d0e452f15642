// A loopback hub in a process of its own, with one file: its work must not slow down its clients.
// Started with the file's path and, where another server hands it out, that one's address. Sends the
// hub's address to its parent and ends with it.

import { startLoopbackHub } from "../support/loopback-hub.ts";

const [file = "", otherStorage] = process.argv.slice(2);
const hub = await startLoopbackHub({
  repositories: { "maker/sparse": { files: { "sparse-F16.gguf": { file } } } },
  otherStorage,
});
process.once("disconnect", () => process.exit(0));
process.send?.(hub.url);

// Loopback hub with one file, in a separate process so that its work does not slow down its clients.
// Arguments: the file's path and, if another server delivers it, that server's address. Sends the hub's
// address to its parent and exits with it.

import { startLoopbackHub } from "../support/loopback-hub.ts";

const [file = "", otherStorage] = process.argv.slice(2);
const hub = await startLoopbackHub({
  repositories: { "maker/sparse": { files: { "sparse-F16.gguf": { file } } } },
  otherStorage,
});
process.once("disconnect", () => process.exit(0));
process.send?.(hub.url);

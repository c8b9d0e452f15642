// deployctl's server in its own process, which tests kill; the state folder is its only argument.
import { flushCompileCache } from "node:module";
import { startCloudHost } from "../../../source/application/cloud-host.ts";
import { describeError } from "../../../source/base/product-error.ts";

const [stateFolder = ""] = process.argv.slice(2);
try {
  const host = await startCloudHost({
    stateFolder,
    organisation: "local",
    listeners: [{ host: "127.0.0.1", port: 0, encryption: { kind: "none" } }],
    // Short, as tests kill the replicas of this server often.
    stableMs: 0,
    log: (text) => process.stderr.write(`${text}\n`),
  });
  process.stdout.write(`${host.status().baseUrl}\n`);
  // Saves compiled modules for the next process, since Node does so only at its own end, which a kill prevents.
  flushCompileCache();
  await host.stopped;
  process.exit(0);
} catch (error) {
  process.stderr.write(`Error: ${describeError(error)}\n`);
  process.exit(1);
}

// A gateway in a process of its own, with everything that it does for a request in earnest: keys,
// metrics, usage, access log. `node gateway-process.ts ENDPOINT FOLDER`. Tells its URL and a key, and
// how much memory it takes whenever it is asked.
import path from "node:path";
import { defaultLimits, defaultScale } from "../../source/cloud/app-config.ts";
import { Gateway } from "../../source/cloud/gateway/gateway.ts";
import { CloudKeyStore } from "../../source/cloud/keys/cloud-key-store.ts";
import { pepperFile } from "../../source/cloud/keys/pepper.ts";
import { AccessLog } from "../../source/cloud/metrics/access-log.ts";
import { CloudMetrics } from "../../source/cloud/metrics/cloud-metrics.ts";
import { UsageStore } from "../../source/cloud/metrics/usage-store.ts";
import { StateDatabase, stateFile } from "../../source/cloud/state/database.ts";
import { routedApp } from "./cloud-documents.ts";

/** The first thing that the process tells its parent. */
export interface StartedGateway {
  url: string;
  token: string;
}

const [endpoint = "", folder = ""] = process.argv.slice(2);
const log = (text: string) => process.stderr.write(`${text}\n`);
const database = StateDatabase.open(stateFile(folder));
const keys = new CloudKeyStore({ database, pepperFile: pepperFile(folder), log });
const metrics = new CloudMetrics(() => []);
const usage = new UsageStore(database, { log, findApp: () => ({ isEphemeral: false }) });
const accessLog = new AccessLog({ file: path.join(folder, "logs", "access.log"), log });
const gateway = new Gateway({
  listeners: [{ host: "127.0.0.1", port: 0, encryption: { kind: "none" } }],
  keys,
  observe: (record) => {
    metrics.observe(record);
    usage.addRequest(record);
    accessLog.write(record);
  },
  log,
});
gateway.table.publish([
  routedApp({
    auth: "private",
    scale: { ...defaultScale, maxMultiplexing: 1000 },
    limits: defaultLimits,
    replicas: [{ replica: "one", revision: "r1", endpoint, isOpen: true, readyAt: 0 }],
  }),
]);
const [address] = await gateway.listen();
const { token } = keys.create({ organisation: "acme", scope: "api" });
process.send?.({ url: `${address?.url}/acme/chat`, token } satisfies StartedGateway);
process.on("message", () => process.send?.({ rssBytes: process.memoryUsage.rss() }));
process.on("disconnect", () => process.exit(0));

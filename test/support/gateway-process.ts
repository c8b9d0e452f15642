// A gateway in a process of its own: `node gateway-process.ts ENDPOINT`. Tells its URL, and how much
// memory it takes whenever it is asked.
import { defaultLimits, defaultScale } from "../../source/cloud/app-config.ts";
import { createGateway } from "../../source/cloud/gateway/create-gateway.ts";
import { cloudKey, keysBy, routedApp } from "./cloud-documents.ts";

/** What the process tells its parent. */
export type GatewayNews = { url: string } | { rssBytes: number };

const [endpoint = ""] = process.argv.slice(2);
const gateway = createGateway({
  listeners: [{ host: "127.0.0.1", port: 0, encryption: { kind: "none" } }],
  keys: keysBy({ token: cloudKey() }),
  log: (text) => process.stderr.write(`${text}\n`),
});
gateway.publish([
  routedApp({
    auth: "private",
    scale: { ...defaultScale, maxMultiplexing: 1000 },
    limits: defaultLimits,
    replicas: [{ replica: "one", revision: "r1", endpoint, isOpen: true, readyAt: 0 }],
  }),
]);
const [address] = await gateway.listen();
tell({ url: `${address?.url}/acme/chat` });
process.on("message", () => tell({ rssBytes: process.memoryUsage.rss() }));
process.on("disconnect", () => process.exit(0));

function tell(news: GatewayNews): void {
  process.send?.(news);
}

// Server in a separate process, which an attack may crash: `node server-process.ts FOLDER [SETTINGS]`, with
// settings in JSON. Sends its parent its URL, and unexpected errors from its log.
import path from "node:path";
import { hostServer } from "../../source/application/local-server/server-host.ts";
import { loadSettings } from "../../source/configuration/load-settings.ts";

/** Message to the parent. */
export type ServerNews = { url: string } | { log: string };

const [folder = "", settings = "{}"] = process.argv.slice(2);
const tell = (news: ServerNews) => process.send?.(news);
const server = await hostServer({
  settings: {
    ...loadSettings({}).values,
    ...{ gpu: "cpu", models: path.join(folder, "models"), context_length: 512, num_parallel: 4 },
    // No server listens there, so nothing is sent to other machines.
    ...{ hub_endpoint: "http://127.0.0.1:9", shutdown_timeout: 0 },
    model_folders: [path.join(folder, "files")],
    ...JSON.parse(settings),
  },
  stateFolder: undefined,
  address: { host: "127.0.0.1", port: 0, scheme: "http", path: "" },
  paths: { data: folder, cache: folder },
  log: (text) => tell({ log: text }),
});
tell({ url: server.url });
process.on("disconnect", () => void server.close().finally(() => process.exit(0)));

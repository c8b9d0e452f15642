// Tests that a wait for the lists of models becomes a long one, and ends with the answer.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Store } from "../../../../source/base/store.ts";
import { ApiClient } from "../../../../source/client/api-client.ts";
import { ModelsFeed } from "../../../../source/ui/screens/models/models-feed.ts";
import { createModelsState } from "../../../../source/ui/screens/models/models-state.ts";
import { until } from "../../../support/until.ts";

test("a wait that lasts becomes long, and ends with the answer", async () => {
  const answers: ServerResponse[] = [];
  const server = createServer((_, response) => answers.push(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const store = new Store(createModelsState());
  const clock = { now: () => 0, wallMs: () => 0 };
  const client = new ApiClient({ url: `http://127.0.0.1:${port}` });
  const feed = new ModelsFeed({ client: () => client, store, clock });
  onTestFinished(() => {
    feed.close();
    server.closeAllConnections();
    server.close();
  });
  feed.searchHub();
  expect(store.get().hub.wait).toBe("short");
  await until(
    () => store.get().hub.wait,
    (wait) => wait === "long",
  );
  for (const answer of answers) answer.writeHead(500).end();
  await until(
    () => store.get().hub,
    ({ error }) => error !== undefined,
  );
  expect(store.get().hub.wait).toBeUndefined();
});

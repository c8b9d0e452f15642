// Tests the Server screen in words, for screen readers.

import { expect, test } from "vitest";
import { Store } from "../../../../source/base/store.ts";
import type { WatchedServer } from "../../../../source/client/live/server-watch.ts";
import { readRequestFilter } from "../../../../source/request-log/filter.ts";
import { openedField } from "../../../../source/ui/components/list-state.ts";
import { changeFilters } from "../../../../source/ui/screens/server/request-list.ts";
import { spokenServer } from "../../../../source/ui/screens/server/server-speech.ts";
import {
  type HostedServer,
  initialServerState,
  type ServerState,
} from "../../../../source/ui/screens/server/server-state.ts";
import { toAscii } from "../../../../source/ui/theme.ts";
import { requestView } from "../../support/request-views.ts";
import { serverSample } from "../../support/server-samples.ts";

interface Facts {
  readonly state?: Partial<ServerState>;
  readonly link?: WatchedServer["link"];
  readonly host?: Partial<HostedServer>;
}

function heard({ state, link = { kind: "up" }, host }: Facts = {}) {
  const requests = [
    requestView({ id: "r-1" }),
    requestView({ id: "r-2", state: "running", status: undefined, totalMs: undefined }),
  ];
  const { finished, live } = spokenServer({
    store: new Store<ServerState>({ ...initialServerState, ...state }),
    watch: new Store<WatchedServer>({ link, samples: [serverSample()] }),
    feed: new Store(requests),
    extent: { current: { rows: 0, lastTop: 0 } },
    host: () => ({
      url: "http://127.0.0.1:11434",
      state: "running",
      warning: undefined,
      ...host,
    }),
  });
  return { finished, live: live.map(toAscii) };
}

test("only a few lines change, without figures of the machine; ended requests are read once", () => {
  const { live, finished } = heard();
  expect(live).toEqual([
    "Server: http://127.0.0.1:11434",
    "2 running, 1 waiting, 61.2 tok/s",
    "Filter: ",
    "Selected: r-2 POST /v1/chat/completions",
  ]);
  expect(finished).toEqual([expect.stringContaining(" r-1 POST ")]);
});

test("problems and typed text are read", () => {
  const filtered = changeFilters(initialServerState, { text: "r-99" }, readRequestFilter);
  const field = openedField("r-99");
  const { live } = heard({ state: { field, ...filtered }, host: { state: "stopped" } });
  expect(live[0]).toBe("Server: o The server is stopped | S start | o settings");
  expect(live.at(-1)).toBe("Filter: r-99");
});

test("an unreachable server is read without an age that grows every second", () => {
  const { live } = heard({ link: { kind: "down", sentence: "No answer.", sinceMs: 0 } });
  expect(live[0]).toBe("Server: x No answer. Reconnecting to http://127.0.0.1:11434");
});

test("an open request takes the place of the ended ones", () => {
  const { finished } = heard({ state: { opened: requestView({ id: "r-1" }) } });
  expect(finished[0]).toContain("POST /v1/chat/completions");
  expect(finished.join("\n")).not.toContain(" r-1 ");
  expect(finished.join("\n")).toContain("Loading prompt and answer");
});

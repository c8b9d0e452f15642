// Tests that keys show state and use, and that a new token is shown in full.

import { expect, test } from "vitest";
import type { KeyDocument } from "../../../../source/cloud/admin/documents.ts";
import type { ConsoleState } from "../../../../source/ui/screens/console/console-state.ts";
import { KeyList, NewKey } from "../../../../source/ui/screens/console/key-list.tsx";
import { renderAt } from "../../support/render.tsx";
import { sampleKey } from "./sample-cloud.ts";
import { consoleState, now } from "./sample-state.ts";

function textOf(keys: KeyDocument[], choices: Partial<ConsoleState> = {}): string {
  const list = <KeyList state={consoleState({ keys }, choices)} width={80} height={9} now={now} />;
  return renderAt(list, { columns: 80 }).text();
}

test("a row has scope, apps, state, last use and limit", () => {
  const key = sampleKey({ apps: ["tiny"], lastUsedAt: now - 90_000, requestsPerMinute: 60 });
  expect(textOf([key])).toMatch(/ {2}ci +…ccc +api +tiny +● active +1m +60\/m/);
});

test("an expiring key shows when, and a revoked one says so", () => {
  expect(textOf([sampleKey({ expiresAt: now + 7_200_500 })])).toContain("● 2h left");
  expect(textOf([sampleKey({ state: "revoked" })])).toContain("⊘ revoked");
});

test("a key is marked while its pane has the focus", () => {
  expect(textOf([sampleKey()])).not.toContain("> ci");
  expect(textOf([sampleKey()], { pane: "keys" })).toContain("> ci");
});

test("without keys says how to create one", () => {
  expect(textOf([])).toContain("No API keys yet. n creates one.");
});

test("a new token is shown whole, with the keys that copy and close it", () => {
  const token = `dk_${"a".repeat(61)}`;
  const made = { document: { key: sampleKey(), token }, isCopied: false };
  const shown = renderAt(<NewKey {...made} width={80} />, { columns: 80 });
  expect(shown.text()).toContain(token);
  expect(shown.text()).toContain("New key ci");
  expect(shown.text()).toContain("y copies it · Enter closes");
  shown.rerender(<NewKey {...made} isCopied width={80} />);
  expect(shown.text()).toContain("Authorization: Key TOKEN · copied · Enter");
});

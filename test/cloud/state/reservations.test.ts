// Reservations of ports and GPUs: exclusive, and kept across a restart.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { StateDatabase, stateFile } from "../../../source/cloud/state/database.ts";
import { Reservations } from "../../../source/cloud/state/reservations.ts";

let folder: string;
let database: StateDatabase;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-reservations-"));
  database = StateDatabase.open(stateFile(folder));
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

it("a port belongs to one replica until released, also after a restart", () => {
  const port = { kind: "port", value: "20001" } as const;
  const reservations = new Reservations(database);
  expect(reservations.reserve({ ...port, replica: "a" })).toBe(true);
  expect(reservations.reserve({ ...port, replica: "a" })).toBe(true);
  expect(reservations.reserve({ ...port, replica: "b" })).toBe(false);
  database.close();
  database = StateDatabase.open(stateFile(folder));
  const later = new Reservations(database);
  expect(later.list()).toEqual([{ ...port, replica: "a" }]);
  expect(later.reserve({ ...port, replica: "b" })).toBe(false);
  later.release("a");
  expect(later.reserve({ ...port, replica: "b" })).toBe(true);
});

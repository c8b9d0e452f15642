// Reservations of ports and GPUs: exclusive or shared, and kept across a restart.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { StateDatabase, stateFile } from "../../../source/cloud/state/database.ts";
import { StoredReservations } from "../../../source/cloud/state/reservations.ts";

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
  const port = { kind: "port", value: "20001", share: 1 } as const;
  const reservations = new StoredReservations(database);
  expect(reservations.reserve({ ...port, replica: "a" })).toBe(true);
  expect(reservations.reserve({ ...port, replica: "a" })).toBe(true);
  expect(reservations.reserve({ ...port, replica: "b" })).toBe(false);
  database.close();
  database = StateDatabase.open(stateFile(folder));
  const later = new StoredReservations(database);
  expect(later.list()).toEqual([{ ...port, replica: "a" }]);
  expect(later.reserve({ ...port, replica: "b" })).toBe(false);
  later.release("a");
  expect(later.reserve({ ...port, replica: "b" })).toBe(true);
});

it("a GPU is shared until it is full", () => {
  const reservations = new StoredReservations(database);
  const share = (replica: string, size: number) =>
    reservations.reserve({ kind: "gpu", value: "GPU-1", replica, share: size });
  expect([share("a", 0.7), share("b", 0.2), share("c", 0.2), share("c", 0.1)]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  reservations.release("a");
  expect(share("d", 0.7)).toBe(true);
});

// State database: one owner, migrations, backups, and no empty file in place of a damaged one.
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ProductError } from "../../../source/base/product-error.ts";
import { cloudErrors } from "../../../source/cloud/errors.ts";
import { listBackups, restoreBackup } from "../../../source/cloud/state/backups.ts";
import { StateDatabase, stateFile } from "../../../source/cloud/state/database.ts";

let folder: string;
let file: string;
let now: number;
let opened: StateDatabase[];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-state-"));
  file = stateFile(folder);
  now = Date.UTC(2030, 0, 1);
  opened = [];
});
afterEach(() => {
  for (const database of opened) database.close();
  rmSync(folder, { recursive: true, force: true });
});

const first = { name: "first", sql: "CREATE TABLE notes (text TEXT NOT NULL) STRICT" };
const second = { name: "second", sql: "ALTER TABLE notes ADD COLUMN author TEXT" };

function open(migrations = [first]): StateDatabase {
  const clock = { now: () => now, wallMs: () => now };
  const database = StateDatabase.open(file, { clock, migrations });
  opened.push(database);
  return database;
}
function close(database: StateDatabase): void {
  database.close();
  opened = opened.filter((other) => other !== database);
}
const notes = (database: StateDatabase) =>
  database.all("SELECT text FROM notes ORDER BY text").map(({ text }) => text);
const note = (database: StateDatabase, text: string) =>
  database.run("INSERT INTO notes (text) VALUES (?)", [text]);

it("stores data for the owner only, in WAL mode with full synchronisation", () => {
  const database = open();
  note(database, "kept");
  expect(database.get("PRAGMA journal_mode")?.journal_mode).toBe("wal");
  expect(database.get("PRAGMA synchronous")?.synchronous).toBe(2);
  expect(database.get("PRAGMA foreign_keys")?.foreign_keys).toBe(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  close(database);
  expect(notes(open())).toEqual(["kept"]);
});

describe("a transaction", () => {
  it("is all or nothing, also when nested", () => {
    const database = open();
    expect(() =>
      database.transaction(() => {
        note(database, "outer");
        database.transaction(() => note(database, "inner"));
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(notes(database)).toEqual([]);
    expect(database.transaction(() => note(database, "yes"))).toBe(1);
    expect(notes(database)).toEqual(["yes"]);
  });

  it("reports a full disk and leaves nothing behind", () => {
    const database = open();
    const pages = database.get("PRAGMA page_count")?.page_count;
    database.connection.exec(`PRAGMA max_page_count = ${pages}`);
    const fill = () => database.transaction(() => note(database, "x".repeat(100_000)));
    expect(fill).toThrow("database or disk is full");
    expect(notes(database)).toEqual([]);
    database.connection.exec("PRAGMA max_page_count = 1000");
    fill();
    expect(notes(database)).toHaveLength(1);
  });
});

describe("the schema", () => {
  it("is upgraded after a backup, all steps or none", () => {
    const old = open();
    note(old, "old");
    close(old);
    const broken = { name: "broken", sql: "CREATE TABLE other (x TEXT) STRICT; CREATE NONSENSE" };
    expect(() => open([first, second, broken])).toThrow(/step 3 \(broken\)/);
    const again = open();
    expect(again.get("PRAGMA user_version")?.user_version).toBe(1);
    close(again);
    now += 1000;
    const newer = open([first, second]);
    expect(newer.all("SELECT author FROM notes")).toEqual([{ author: null }]);
    expect(listBackups(file).length).toBeGreaterThan(0);
  });

  it("of a newer version is refused and unchanged", () => {
    close(open([first, second]));
    const before = readFileSync(file);
    expect(() => open([first])).toThrow(
      expect.objectContaining({ code: cloudErrors.stateNewer.code }),
    );
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

it("has one owner at a time", () => {
  const owner = open();
  expect(() => open()).toThrow(expect.objectContaining({ code: cloudErrors.alreadyRunning.code }));
  note(owner, "still mine");
  expect(notes(owner)).toEqual(["still mine"]);
});

describe("backups", () => {
  it("are made daily, and seven are kept", () => {
    const database = open();
    note(database, "one");
    expect(database.backupWhenDue()).toBeDefined();
    expect(database.backupWhenDue()).toBeUndefined();
    for (let day = 0; day < 9; day += 1) {
      now += 86_400_000;
      expect(database.backupWhenDue()).toBeDefined();
    }
    expect(listBackups(file)).toHaveLength(7);
    expect(listBackups(file)[0]?.at).toBe(now);
    expect(
      listBackups(file).every((backup) => (statSync(backup.file).mode & 0o777) === 0o600),
    ).toBe(true);
  });

  it("continue after the clock was put back", () => {
    const database = open();
    expect(database.backupWhenDue()).toBeDefined();
    now -= 365 * 86_400_000;
    expect(database.backupWhenDue()).toBeDefined();
    now += 3_600_000;
    expect(database.backupWhenDue()).toBeUndefined();
  });

  it("restore the data and set the current file aside", () => {
    const database = open();
    note(database, "before");
    const copy = database.backup();
    note(database, "after");
    close(database);
    const replaced = restoreBackup(file, copy, now);
    const restored = open();
    expect(notes(restored)).toEqual(["before"]);
    close(restored);
    copyFileSync(replaced ?? "", file);
    expect(notes(open())).toEqual(["after", "before"]);
  });

  it("that are damaged or missing are refused, and nothing changes", () => {
    const database = open();
    note(database, "mine");
    close(database);
    const bad = path.join(folder, "bad.db");
    writeFileSync(bad, "no database at all, but long enough to be read as one ".repeat(20));
    for (const backup of [bad, path.join(folder, "missing.db")]) {
      expect(() => restoreBackup(file, backup, now)).toThrow(
        expect.objectContaining({ code: cloudErrors.backupUnusable.code }),
      );
    }
    expect(notes(open())).toEqual(["mine"]);
  });
});

describe("a damaged file", () => {
  const damage: [string, () => void][] = [
    ["that is not a database", () => writeFileSync(file, "something else entirely. ".repeat(400))],
    [
      "with torn pages",
      () => {
        const bytes = readFileSync(file);
        bytes.fill(0xa5, 4096, bytes.length);
        writeFileSync(file, bytes);
      },
    ],
    ["that was cut", () => truncateSync(file, statSync(file).size - 4096)],
  ];

  it.each(damage)("%s is set aside, and no empty one is created in its place", (_name, spoil) => {
    const database = open();
    for (let count = 0; count < 400; count += 1) note(database, `note ${count} ${"x".repeat(50)}`);
    const copy = database.backup();
    close(database);
    spoil();
    const spoilt = readFileSync(file);
    const refused = expect.objectContaining({
      code: cloudErrors.stateCorrupt.code,
      hint: expect.stringContaining(copy),
    });
    expect(() => open()).toThrow(refused);
    const aside = readdirSync(folder).find((name) => name.includes(".damaged-")) ?? "";
    expect(readFileSync(path.join(folder, aside)).equals(spoilt)).toBe(true);
    // Later attempts fail likewise until a backup is restored.
    expect(() => open()).toThrow(refused);
    restoreBackup(file, copy, now);
    expect(notes(open())).toHaveLength(400);
    expect(readdirSync(folder)).toContain(aside);
  });

  it("without a backup can be replaced explicitly", () => {
    writeFileSync(file, "something else entirely. ".repeat(400));
    expect(() => open()).toThrow(/damaged/);
    expect(() => open()).toThrow(ProductError);
    restoreBackup(file, undefined, now);
    expect(notes(open())).toEqual([]);
  });

  it("with half of its last journal page loses only the last write", () => {
    const database = open();
    note(database, "whole");
    note(database, "torn");
    // Simulates a power failure: the current files, with a truncated journal.
    const copy = path.join(folder, "cut.db");
    copyFileSync(file, copy);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    truncateSync(`${copy}-wal`, statSync(`${copy}-wal`).size - 100);
    const cut = StateDatabase.open(copy, { migrations: [first] });
    opened.push(cut);
    expect(notes(cut)).toEqual(["whole"]);
    expect(cut.check()).toEqual([]);
  });
});

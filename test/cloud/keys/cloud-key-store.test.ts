// Life cycle of API keys, in a real state database.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CloudKey, keyCovers } from "../../../source/cloud/keys/cloud-key.ts";
import { CloudKeyStore } from "../../../source/cloud/keys/cloud-key-store.ts";
import { pepperFile } from "../../../source/cloud/keys/pepper.ts";
import { StateDatabase, stateFile } from "../../../source/cloud/state/database.ts";

const dayMs = 86_400_000;

let folder: string;
let database: StateDatabase;
let store: CloudKeyStore;
let log: string[];
let time: number;
const clock = { now: () => time, wallMs: () => time };

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-keys-"));
  log = [];
  time = Date.UTC(2026, 0, 1);
  open();
});
afterEach(() => {
  close();
  rmSync(folder, { recursive: true });
});

function open(): void {
  database = StateDatabase.open(stateFile(folder));
  store = new CloudKeyStore({
    database,
    pepperFile: pepperFile(folder),
    log: (text) => log.push(text),
    clock,
  });
}

function close(): void {
  store.close();
  database.close();
}

function reopen(): void {
  close();
  open();
}

describe("a key", () => {
  test("is shown once, found by its token in both forms, and survives a restart", () => {
    const { key, token } = store.create({
      organisation: "acme",
      scope: "api",
      apps: ["chat"],
      description: "ci",
      requestsPerMinute: 60,
    });
    expect(token).toMatch(/^dk_[a-z2-7]{12}[0-9A-Za-z]{49}$/);
    expect(store.verify(token)?.id).toBe(key.id);
    const pair = `${key.id}:${token.slice(15, -6)}`;
    expect(store.verify(pair)?.id).toBe(key.id);
    reopen();
    expect(store.list()).toEqual([{ ...key, lastUsedAt: time }]);
    expect(store.verify(token)).toEqual(store.list()[0]);
    // Neither the token nor its secret is anywhere in the file.
    expect(readFileSync(stateFile(folder)).includes(token.slice(15, -6))).toBe(false);
  });

  test("is found by nothing else", () => {
    const { key, token } = store.create({ organisation: "acme", scope: "api" });
    const other = store.create({ organisation: "acme", scope: "api" });
    const last = token.at(-1) === "0" ? "1" : "0";
    for (const wrong of [
      "",
      token.slice(0, -1),
      token.slice(0, -1) + last,
      ` ${token}`,
      token.replace("dk_", "mk_"),
      `${key.id}:${other.token.slice(15, -6)}`,
      `${"a".repeat(12)}:${token.slice(15, -6)}`,
      key.id,
    ]) {
      expect(store.verify(wrong)).toBeUndefined();
    }
  });

  test("stops working once it is revoked or expired", () => {
    const { key, token } = store.create({ organisation: "acme", scope: "api" });
    const brief = store.create({ organisation: "acme", scope: "api", expiresAt: time + dayMs });
    expect(store.revoke(`dk_${key.id}`).revokedAt).toBe(time);
    expect(store.verify(token)).toBeUndefined();
    time += dayMs - 1;
    expect(store.verify(brief.token)?.id).toBe(brief.key.id);
    time += 1;
    expect(store.verify(brief.token)).toBeUndefined();
    expect(store.revoke(token).revokedAt).toBe(time - dayMs);
    reopen();
    expect(store.verify(token)).toBeUndefined();
  });

  test("is rotated: both work for a while, then only the new one, with the same permissions", () => {
    const expiresAt = time + 30 * dayMs;
    const { key, token } = store.create({
      ...{ organisation: "acme", scope: "api:read", apps: ["chat"], description: "ci" },
      ...{ requestsPerMinute: 5, expiresAt },
    });
    time += 10 * dayMs;
    const rotated = store.rotate(key.id, dayMs);
    expect(rotated.key).toMatchObject({
      ...{ organisation: "acme", scope: "api:read", apps: ["chat"], description: "ci" },
      ...{ requestsPerMinute: 5, expiresAt: time + 30 * dayMs },
    });
    expect(store.list()[0]).toMatchObject({ replacedBy: rotated.key.id, expiresAt: time + dayMs });
    expect(store.verify(token)?.id).toBe(key.id);
    reopen();
    time += dayMs;
    expect(store.verify(token)).toBeUndefined();
    expect(store.verify(rotated.token)?.id).toBe(rotated.key.id);
    expect(() => store.rotate(key.id, dayMs)).toThrow("expired");
    const atOnce = store.rotate(rotated.key.id, 0);
    expect(store.verify(rotated.token)).toBeUndefined();
    expect(store.verify(atOnce.token)?.id).toBe(atOnce.key.id);
  });

  test("that is unknown is reported without repeating a possible secret", () => {
    const secretLooking = `dk_${"x".repeat(60)}`;
    expect(() => store.revoke(secretLooking)).toThrow(/No key has the id/);
    expect(() => store.revoke(secretLooking)).not.toThrow("xxxxxxxxxxxxxxxxxxxxxxxx");
    expect(() => store.rotate("aaaaaaaaaaaa", 0)).toThrow("aaaaaaaaaaaa");
  });

  test("for an invalid organisation or app is refused", () => {
    expect(() => store.create({ organisation: "A", scope: "api" })).toThrow("organisation name");
    const apps = ["chat", "../x"];
    expect(() => store.create({ organisation: "acme", scope: "api", apps })).toThrow("app name");
    expect(store.list()).toEqual([]);
  });

  test("with the scope admin cannot be limited to apps", () => {
    const admin = { organisation: "acme", scope: "admin" } as const;
    expect(() => store.create({ ...admin, apps: ["chat"] })).toThrow("cannot be limited to apps");
    expect(store.list()).toEqual([]);
    expect(store.create(admin).key.apps).toEqual([]);
  });

  test("records the minute of its last use, without a write for each request", () => {
    const { key, token } = store.create({ organisation: "acme", scope: "api" });
    time += 90_500;
    store.verify(token);
    const stored = () => database.get("SELECT used_at FROM keys")?.used_at;
    expect(store.list()[0]?.lastUsedAt).toBe(key.createdAt + 60_000);
    expect(stored()).toBeNull();
    store.storeUses();
    expect(stored()).toBe(key.createdAt + 60_000);
  });
});

test("keys are listed oldest first, by organisation", () => {
  const ids = ["acme", "other", "acme"].map((organisation) => {
    time += 1;
    return store.create({ organisation, scope: "api" }).key.id;
  });
  expect(store.list().map(({ id }) => id)).toEqual(ids);
  expect(store.list("acme").map(({ id }) => id)).toEqual([ids[0], ids[2]]);
});

describe("the pepper", () => {
  test("is readable by its owner only, and required once there are keys", () => {
    const file = pepperFile(folder);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    store.create({ organisation: "acme", scope: "api" });
    close();
    const pepper = readFileSync(file);
    rmSync(file);
    for (const _attempt of ["first", "second"]) {
      expect(open).toThrow(/pepper file is missing, so none of the 1 keys/);
      expect(existsSync(file)).toBe(false);
      database.close();
    }
    writeFileSync(file, pepper.subarray(1));
    expect(open).toThrow("it has 31 bytes instead of 32");
    database.close();
    writeFileSync(file, pepper);
    open();
    expect(store.list().length).toBe(1);
  });
});

test.each<[string, Partial<CloudKey>, string, boolean]>([
  ["any app and method", {}, "POST", true],
  ["its own apps", { apps: ["chat", "x"] }, "POST", true],
  ["not other apps", { apps: ["x"] }, "GET", false],
  ["not the same name elsewhere", { apps: ["chat"], organisation: "other" }, "GET", false],
  ["to read", { scope: "api:read" }, "HEAD", true],
  ["not to write", { scope: "api:read" }, "DELETE", false],
])("a key covers %s", (_, changes, method, covers) => {
  const key = { ...store.create({ organisation: "acme", scope: "api" }).key, ...changes };
  expect(keyCovers(key, { organisation: "acme", app: "chat", method })).toBe(covers);
});

// Keys on disk: verification, changes by other processes, contents of the file.
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { KeyStore } from "../../source/api-keys/key-store.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const day = 86_400_000;
let folder: string;
let now: number;
let opened: KeyStore[];

beforeEach(() => {
  folder = temporaryFolder();
  now = Date.UTC(2030, 0, 1, 12, 0, 30);
  opened = [];
});
afterEach(() => {
  for (const store of opened) store.close();
});

const file = () => path.join(folder, "data", "keys.db");
const log: string[] = [];
function open(): KeyStore {
  const clock = { now: () => now, wallMs: () => now };
  const store = new KeyStore(file(), (text) => log.push(text), clock);
  opened.push(store);
  return store;
}
const plain = { name: "ci", role: "infer", expiresAt: undefined } as const;

test("a key is accepted with its role and limits", () => {
  const store = open();
  const { key, token } = store.create({ name: "ci", role: "manage", expiresAt: now + day });
  expect(store.verify(token)).toMatchObject({ id: key.id, name: "ci", role: "manage" });
  expect(store.list()).toEqual([expect.objectContaining({ id: key.id, expiresAt: now + day })]);
});

test("without a file there are no keys, and reading creates none", () => {
  const store = open();
  expect([store.list(), store.hasActive()]).toEqual([[], false]);
  expect(store.verify("mk_x")).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test("the file is private and has no secrets", () => {
  const { token } = open().create(plain);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  const content = readFileSync(file(), "latin1");
  expect(content).toContain("ci");
  expect(content).not.toContain(token.slice(15, 58));
});

test("a file that others could read is made private", () => {
  open().create(plain);
  chmodSync(file(), 0o644);
  open().list();
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test("a known id with another secret is refused, and so is a foreign token", () => {
  const store = open();
  const first = store.create(plain).token;
  const second = store.create(plain).token;
  expect(store.verify(first.slice(0, 15) + second.slice(15))).toBeUndefined();
  expect(store.verify("sk-123")).toBeUndefined();
  expect(store.verify("")).toBeUndefined();
});

test("changes by one process apply to the next request of another", () => {
  const server = open();
  expect(server.hasActive()).toBe(false);
  const command = open();
  const { key, token } = command.create(plain);
  expect(server.verify(token)?.id).toBe(key.id);
  command.revoke(key.id);
  expect(server.verify(token)).toBeUndefined();
});

test("deleting the file revokes all keys", () => {
  const server = open();
  const { token } = server.create(plain);
  expect(server.verify(token)).toBeDefined();
  rmSync(file());
  expect(server.verify(token)).toBeUndefined();
  const { token: other } = open().create(plain);
  expect(server.verify(other)).toBeDefined();
});

test("an expired key is refused and no longer counts", () => {
  const store = open();
  const { token } = store.create({ ...plain, expiresAt: now + day });
  now += day - 1;
  expect(store.verify(token)).toBeDefined();
  now += 1;
  expect([store.verify(token), store.hasActive()]).toEqual([undefined, false]);
});

test("a key can be revoked by id, prefixed id, or token; twice is no error", () => {
  const store = open();
  const { key, token } = store.create(plain);
  const first = store.revoke(`mk_${key.id}`).revokedAt;
  now += day;
  expect(store.revoke(token).revokedAt).toBe(first);
  expect(store.hasActive()).toBe(false);
});

test("revoking an unknown key is an error that repeats no secret", () => {
  const other = "mk_aaaaaaaaaaaaSECRETSECRETSECRETSECRETSECRETSECRETSECxxxxxx";
  for (const id of ["aaaaaaaaaaaa", other]) {
    const revoke = () => open().revoke(id);
    expect(revoke).toThrow(expect.objectContaining({ code: "KEYS_UNKNOWN", exitCode: 3 }));
    expect(revoke).not.toThrow(/SECRET/);
  }
});

test("the last use is recorded to the minute", () => {
  const store = open();
  const { token } = store.create(plain);
  const used = () => store.list()[0]?.lastUsedAt;
  expect(used()).toBeUndefined();
  store.verify(token);
  expect(used()).toBe(now - 30_000);
  now += 29_000;
  store.verify(token);
  expect(used()).toBe(now - 59_000);
  now += 2000;
  store.verify(token);
  expect(used()).toBe(now - 1000);
});

test("an invalid file is reported, and nobody is let in", () => {
  const { token } = open().create(plain);
  writeFileSync(file(), "this is no database, but it is long enough to look like one");
  const error = expect.objectContaining({
    code: "KEYS_FILE_UNUSABLE",
    message: expect.stringContaining(file()),
  });
  expect(() => open().verify(token)).toThrow(error);
  expect(() => open().list()).toThrow(error);
});

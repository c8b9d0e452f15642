// Secrets: unchanged when read, and unreadable without their key.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../../source/base/clock.ts";
import { ProductError } from "../../../source/base/product-error.ts";
import { cloudErrors } from "../../../source/cloud/errors.ts";
import { type CloudStore, openStore } from "../../../source/cloud/state/cloud-store.ts";
import { StateDatabase, stateFile } from "../../../source/cloud/state/database.ts";
import { SecretBox } from "../../../source/cloud/state/secret-box.ts";

let folder: string;
let store: CloudStore;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-secrets-"));
  store = openStore(StateDatabase.open(stateFile(folder)), folder, systemClock);
});
afterEach(() => {
  store.database.close();
  rmSync(folder, { recursive: true, force: true });
});

const chat = { organisation: "local", app: "chat" };
const keyFile = () => path.join(folder, "keys", "secrets");

it("are returned unchanged, and listed without their values", () => {
  store.secrets.setSecret(
    { organisation: "local", environment: "main" },
    "HF_TOKEN",
    "hf_påss\nword",
  );
  store.secrets.setSecret({ organisation: "local", environment: "main" }, "HF_TOKEN", "hf_newer");
  expect(store.secrets.secret({ organisation: "local", app: "chat" }, "HF_TOKEN")).toBe("hf_newer");
  expect(store.secrets.secret({ organisation: "other", app: "chat" }, "HF_TOKEN")).toBeUndefined();
  expect(
    JSON.stringify(store.secrets.secrets({ organisation: "local", environment: "main" })),
  ).not.toContain("hf_");
  store.secrets.deleteSecret({ organisation: "local", environment: "main" }, "HF_TOKEN");
  expect(() =>
    store.secrets.deleteSecret({ organisation: "local", environment: "main" }, "HF_TOKEN"),
  ).toThrow(ProductError);
});

it("are not stored in plain text", () => {
  store.secrets.setSecret(
    { organisation: "local", environment: "main" },
    "HF_TOKEN",
    "hf_1234567890",
  );
  store.secrets.setVariables(chat, { DATABASE_URL: "postgres://user:pass1234@db" });
  store.secrets.freeze({ ...chat, revision: "r0001" }, { API_KEY: "sk_1234567890" });
  store.database.close();
  const bytes = readFileSync(stateFile(folder), "latin1");
  store = openStore(StateDatabase.open(stateFile(folder)), folder, systemClock);
  for (const value of ["hf_1234567890", "pass1234", "sk_1234567890"]) {
    expect(bytes).not.toContain(value);
  }
  expect(bytes).toContain("HF_TOKEN");
  expect(store.secrets.variables(chat)[0]?.value).toBe("postgres://user:pass1234@db");
  expect(store.secrets.frozen({ ...chat, revision: "r0001" })).toEqual({
    API_KEY: "sk_1234567890",
  });
});

it("cannot be moved from one name to another in the database", () => {
  store.secrets.setSecret({ organisation: "local", environment: "main" }, "MINE", "a");
  store.secrets.setSecret({ organisation: "local", environment: "main" }, "YOURS", "b");
  store.database.connection.exec(
    "UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE name = 'MINE') WHERE name = 'YOURS'",
  );
  expect(() => store.secrets.secret({ organisation: "local", app: "chat" }, "YOURS")).toThrow(
    expect.objectContaining({ code: cloudErrors.stateUnusable.code }),
  );
});

it("have a key readable by its owner only; another key opens nothing, and an incomplete one is refused", () => {
  store.secrets.setSecret({ organisation: "local", environment: "main" }, "HF_TOKEN", "hf_x");
  expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
  const sealed = SecretBox.open(keyFile(), true).seal("text", "place");
  const other = SecretBox.open(path.join(folder, "other"), false);
  expect(() => other.open(sealed, "place")).toThrow(ProductError);
  expect(SecretBox.open(keyFile(), true).open(sealed, "place")).toBe("text");
  writeFileSync(keyFile(), "half");
  expect(() => SecretBox.open(keyFile(), true)).toThrow(ProductError);
});

it("whose key was lost or changed are reported at every start", () => {
  store.secrets.setSecret({ organisation: "local", environment: "main" }, "HF_TOKEN", "hf_x");
  const key = readFileSync(keyFile());
  const reopen = () => openStore(store.database, folder, systemClock);
  const refused = expect.objectContaining({ code: cloudErrors.stateUnusable.code });
  rmSync(keyFile());
  for (let time = 1; time <= 2; time += 1) expect(reopen).toThrow(refused);
  writeFileSync(keyFile(), Buffer.alloc(32, 7));
  expect(reopen).toThrow(refused);
  writeFileSync(keyFile(), key);
  expect(reopen().secrets.secret({ organisation: "local", app: "chat" }, "HF_TOKEN")).toBe("hf_x");
});

it("with an invalid name or a huge value are refused, all of a set or none", () => {
  const bad: [string, string][] = [
    ["1A", "x"],
    ["A-B", "x"],
    ["", "x"],
    ["A", "x\0y"],
    ["A", "x".repeat(70_000)],
  ];
  for (const [name, value] of bad) {
    expect(() => store.secrets.setVariables(chat, { GOOD: "1", [name]: value })).toThrow(
      expect.objectContaining({ code: cloudErrors.requestInvalid.code }),
    );
  }
  expect(store.secrets.variables(chat)).toEqual([]);
});

it("can be compared without storing them", () => {
  const { secrets } = store;
  expect(secrets.fingerprint({ a: "1", b: "2" })).toBe(secrets.fingerprint({ b: "2", a: "1" }));
  expect(secrets.fingerprint({ a: "1" })).not.toBe(secrets.fingerprint({ a: "2" }));
});

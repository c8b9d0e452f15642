// A model goes to another machine in one file, and every byte of it is checked on arrival.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportModel } from "../../../source/store/library/export-model.ts";
import { importModel, modelsInArchive } from "../../../source/store/library/import-model.ts";
import { removeModel } from "../../../source/store/library/remove-model.ts";
import { tinyFile } from "../../support/command-line.ts";
import { buildGguf, leastMetadata } from "../../support/gguf-builder.ts";
import {
  entriesOf,
  modelName,
  openStore,
  sha256,
  temporaryFolder,
  writeModel,
  writeOllamaModel,
} from "../../support/model-store.ts";
import { asOrdinaryUser } from "../../support/ordinary-user.ts";

const temporaryPlace = tmpdir();
/** Weights of no tensors: everything but their bytes. */
const small = buildGguf({ metadata: leastMetadata });
const tiny = readFileSync(tinyFile);
const tinyBlob = `sha256-${sha256(tiny)}`;

/** Shared by the tests that only read it. */
let archive: string;
let archiveFolder: string;
beforeAll(async () => {
  archiveFolder = mkdtempSync(path.join(tmpdir(), "modelctl-archive-"));
  ({ archive } = await exported("mine", "small", archiveFolder));
});
afterAll(() => rmSync(archiveFolder, { recursive: true, force: true }));

/** @param from the tiny model, or one without weights */
async function exported(name = "mine", from: "tiny" | "small" = "small", folder?: string) {
  const fixture = openStore(folder);
  if (from === "tiny") fixture.tinyAt("a.gguf");
  else writeModel(fixture.at("a.gguf"));
  await fixture.create(name, {
    from: ["a.gguf"],
    system: "S",
    template: "{{ .Prompt }}",
    parameters: { stop: ["x"] },
    licenses: ["L"],
  });
  const archive = fixture.at("model.tar");
  await exportModel(fixture.catalog, fixture.store, name, archive);
  return { ...fixture, archive };
}

describe("an exported model", () => {
  test("is the same on the other machine, with its own weights", async () => {
    const { archive, catalog, at } = await exported("me/mine:v1", "tiny");
    rmSync(at("a.gguf"));
    const there = openStore();
    expect(await importModel(there.store, archive)).toMatchObject([{ display: "me/mine:v1" }]);
    const { system, template, parameters, licenses, details, facts } =
      await there.catalog.resolve("me/mine:v1");
    expect({ system, template, parameters, licenses }).toEqual({
      system: "S",
      template: "{{ .Prompt }}",
      parameters: { stop: ["x"] },
      licenses: ["L"],
    });
    expect(details.parameterSize).toBe("954K");
    expect(facts.path).toBe(path.join(there.store.folder.blobsFolder, tinyBlob));
    await expect(catalog.resolve("me/mine:v1")).rejects.toMatchObject({
      code: "STORE_REFERENCE_MISSING",
    });
  });

  test("can be unpacked into an empty Ollama store by any tar program", async () => {
    const { archive } = await exported("mine", "tiny");
    const ollama = temporaryFolder();
    execFileSync("tar", ["xf", archive, "-C", ollama]);
    expect(entriesOf(path.join(ollama, "blobs"))).toContain(tinyBlob);
    const { catalog } = openStore(undefined, { ollamaFolders: [ollama] });
    expect(await catalog.resolve("mine")).toMatchObject({ store: "ollama", system: "S" });
  });

  test("can come from Ollama's store", async () => {
    const ollama = temporaryFolder();
    writeOllamaModel(ollama, "theirs", [
      { kind: "model", content: small },
      { kind: "system", content: "O" },
    ]);
    const { catalog, store, at } = openStore(undefined, { ollamaFolders: [ollama] });
    await exportModel(catalog, store, "theirs", at("theirs.tar"));
    const there = openStore();
    await importModel(there.store, at("theirs.tar"));
    expect(await there.catalog.resolve("theirs")).toMatchObject({ store: "modelctl", system: "O" });
  });

  test("can be packed by another tar program, long names and folders included", async () => {
    const name = `hf.co/${"o".repeat(80)}/${"r".repeat(96)}:${"q".repeat(150)}.gguf`;
    const { archive } = await exported(name);
    const unpacked = temporaryFolder();
    execFileSync("tar", ["xf", archive, "-C", unpacked]);
    const formats = ["gnu", "pax"].map((format) => {
      const file = path.join(unpacked, `${format}.tar`);
      execFileSync("tar", ["cf", file, "-H", format, "-C", unpacked, "./blobs", "manifests"]);
      return file;
    });
    for (const file of [archive, ...formats]) {
      const there = openStore();
      expect(await importModel(there.store, file)).toMatchObject([{ display: name }]);
      expect((await there.catalog.resolve(name)).system).toBe("S");
    }
  });

  test("reports progress both ways", async () => {
    const { catalog, store, archive, at } = await exported("mine", "tiny");
    const there = openStore();
    type OnProgress = (completed: number, total: number | undefined) => void;
    for (const transfer of [
      (onProgress: OnProgress) =>
        exportModel(catalog, store, "mine", at("again.tar"), { onProgress }),
      (onProgress: OnProgress) => importModel(there.store, archive, { onProgress }),
    ]) {
      const seen: Array<Array<number | undefined>> = [];
      await transfer((completed, total) => seen.push([completed, total]));
      const totals = new Set(seen.map(([, total]) => total));
      expect(totals.size).toBe(1);
      expect(seen.map(([completed]) => completed)).toEqual(
        seen.map(([completed]) => completed).sort((a = 0, b = 0) => a - b),
      );
      expect(seen.at(-1)?.[0]).toBeGreaterThan(tiny.length);
    }
    expect(readFileSync(at("again.tar")).equals(readFileSync(archive))).toBe(true);
  });
});

describe("importing", () => {
  test("works under another name", async () => {
    const { store, catalog } = openStore();
    await importModel(store, archive, { name: modelName("renamed:x") });
    const { models } = await catalog.listModels({ store: "modelctl" });
    expect(models.map(({ name }) => name)).toEqual(["renamed:x"]);
  });

  test("replaces a model of that name", async () => {
    const { store, catalog, create, blobs } = openStore();
    await create("mine", { from: ["tiny"], system: "old" });
    await importModel(store, archive);
    expect((await catalog.resolve("mine")).system).toBe("S");
    expect(blobs()).not.toContain(`sha256-${sha256("old")}`);
  });

  test("twice keeps one copy", async () => {
    const { store, blobs, unfinished } = openStore();
    await importModel(store, archive);
    const before = blobs();
    await importModel(store, archive);
    expect(blobs()).toEqual(before);
    expect(unfinished()).toEqual([]);
  });

  const headers = 512;
  const flipBit = (at: number) => (file: string) => {
    const bytes = readFileSync(file);
    bytes.writeUInt8((bytes[at] ?? 0) ^ 1, at);
    writeFileSync(file, bytes);
  };
  const invalid = "STORE_ARCHIVE_INVALID";
  const mismatch = "STORE_DIGEST_MISMATCH";

  const damages: Record<string, [(file: string) => void, says: RegExp, code?: string]> = {
    "cut in a blob": [(file) => truncateSync(file, headers + 100), /is truncated/],
    "cut after a blob": [(file) => truncateSync(file, statSync(file).size - 2560), /./],
    empty: [(file) => truncateSync(file, 0), /it is empty/],
    "a short text": [
      (file) => writeFileSync(file, "FROM tiny\n"),
      /cannot be imported: it is not a tar archive\.$/,
    ],
    "a long text": [
      (file) => writeFileSync(file, "FROM tiny\n".repeat(400)),
      /it is not a tar archive/,
    ],
    compressed: [
      (file) => writeFileSync(file, gzipSync(readFileSync(file))),
      /it is not a tar archive/,
    ],
    "cut in its first header": [(file) => truncateSync(file, 300), /is truncated/],
    "of zeros": [(file) => writeFileSync(file, Buffer.alloc(10_240)), /it has no model/],
    "a model": [
      (file) => writeFileSync(file, small),
      /it is a GGUF file, not an archive; use modelctl create/,
    ],
    "with a flipped bit in a blob": [flipBit(headers), /digest mismatch/, mismatch],
    "with a flipped bit in a header": [flipBit(30), /damaged/],
  };

  test.each(Object.entries(damages))(
    "refuses a file %s and keeps nothing of it",
    async (...row) => {
      const [, [damage, says, code = invalid]] = row;
      const damaged = path.join(temporaryFolder(), "model.tar");
      copyFileSync(archive, damaged);
      damage(damaged);
      const { store, catalog, blobs, unfinished } = openStore();
      await expect(importModel(store, damaged)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(says),
      });
      expect([...blobs(), ...unfinished()]).toEqual([]);
      expect((await catalog.listModels({ store: "modelctl" })).models).toEqual([]);
    },
  );

  test("names its models without reading its blobs, and refuses a file cut in one", async () => {
    const damaged = path.join(temporaryFolder(), "model.tar");
    const { archive } = await exported("mine", "tiny");
    copyFileSync(archive, damaged);
    flipBit(Math.round(statSync(damaged).size / 2))(damaged);
    const { store } = openStore();
    const names = await modelsInArchive(store, damaged);
    expect(names.map(({ display }) => display)).toEqual(["mine:latest"]);
    truncateSync(damaged, headers + 100);
    await expect(modelsInArchive(store, damaged)).rejects.toMatchObject({
      code: invalid,
      message: expect.stringContaining("is truncated"),
    });
  });

  type Layers = Parameters<typeof writeOllamaModel>[2];
  const holding =
    (...layers: Layers) =>
    (folder: string) => {
      writeOllamaModel(folder, "mine", layers);
    };
  const weights: Layers[number] = { kind: "model", content: small };

  const contents: Record<string, [(folder: string) => void, says: RegExp, code?: string]> = {
    "a manifest whose blobs are missing": [
      (folder) => {
        writeOllamaModel(folder, "mine", [{ kind: "system", content: "S" }]);
        rmSync(path.join(folder, "blobs"), { recursive: true });
      },
      /is missing/,
    ],
    "something else": [
      (folder) => writeFileSync(path.join(folder, "notes.txt"), "x"),
      /"notes\.txt" is not part of a model/,
    ],
    "the name of a built-in model": [
      (folder) => void writeOllamaModel(folder, "tiny", []),
      /is built in/,
      "STORE_MODEL_READ_ONLY",
    ],
    "a blob under a wrong name": [
      (folder) => {
        writeOllamaModel(folder, "mine", []);
        writeFileSync(path.join(folder, "blobs", `sha256-${"0".repeat(64)}`), "x");
      },
      /digest mismatch/,
      mismatch,
    ],
    "weights that are no GGUF": [
      holding({ kind: "model", content: "no weights" }),
      /its model 'mine:latest' cannot be used: /,
    ],
    "weights that were cut before they were packed": [
      holding({ kind: "model", content: tiny.subarray(0, 1_000_000) }),
      /its model 'mine:latest' cannot be used: /,
    ],
    "no weights": [
      holding({ kind: "system", content: "S" }),
      /cannot be used: The model 'mine:latest' has no GGUF weights/,
    ],
    "a text larger than memory": [
      holding(weights, { kind: "system", content: Buffer.alloc(64 * 1024 ** 2 + 1, "x") }),
      /a text of its model 'mine:latest' is too long/,
    ],
    "more models than anybody has": [
      (folder) => {
        const file = writeOllamaModel(folder, "mine", []);
        for (let count = 0; count < 1000; count += 1) {
          linkSync(file, path.join(path.dirname(file), `v${count}`));
        }
      },
      /it has too many models/,
    ],
    "an invalid configuration": [
      (folder) => {
        const file = writeOllamaModel(folder, "mine", [weights]);
        const manifest = JSON.parse(readFileSync(file, "utf8"));
        writeFileSync(path.join(folder, "blobs", `sha256-${sha256("[]")}`), "[]");
        const config = { ...manifest.config, digest: `sha256:${sha256("[]")}`, size: 2 };
        writeFileSync(file, JSON.stringify({ ...manifest, config }));
      },
      /its configuration cannot be read/,
    ],
    "a blob of another length than its manifest says": [
      (folder) => {
        const file = writeOllamaModel(folder, "mine", [weights]);
        writeFileSync(file, readFileSync(file, "utf8").replace(String(small.length), "5"));
      },
      /is not as long as the manifest says/,
    ],
  };

  test.each(Object.entries(contents))(
    "refuses an archive with %s and keeps the existing model",
    async (_, row) => {
      const [fill, says, code = invalid] = row;
      const folder = temporaryFolder();
      fill(folder);
      const archive = path.join(temporaryFolder(), "a.tar");
      execFileSync("tar", [
        "cf",
        archive,
        "--hard-dereference",
        "-C",
        folder,
        ...readdirSync(folder),
      ]);
      const { store, blobs, unfinished, create, catalog, at } = openStore();
      writeModel(at("a.gguf"));
      await create("mine", { from: ["a.gguf"], system: "kept" });
      const before = blobs();
      await expect(importModel(store, archive)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(says),
      });
      expect(blobs()).toEqual(before);
      expect(unfinished()).toEqual([]);
      expect((await catalog.resolve("mine")).system).toBe("kept");
    },
  );

  test("refuses the name of a built-in model before anything is read", async () => {
    const seen: number[] = [];
    const options = { name: modelName("tiny"), onProgress: (bytes: number) => seen.push(bytes) };
    await expect(importModel(openStore().store, archive, options)).rejects.toMatchObject({
      code: "STORE_MODEL_READ_ONLY",
    });
    expect(seen).toEqual([]);
  });

  test("never writes outside the store's folder", async () => {
    const folder = temporaryFolder();
    const archive = path.join(temporaryFolder(), "a.tar");
    const manifest = writeOllamaModel(folder, "mine", []);
    for (const name of ["manifests/../../../evil", "blobs/../../evil", "/etc/evil"]) {
      execFileSync("tar", [
        ...["cPf", archive, "--transform", `s,^.*latest$,${name},`, "-C", folder],
        ...["blobs", path.relative(folder, manifest)],
      ]);
      const { store, folder: home } = openStore();
      await expect(importModel(store, archive)).rejects.toMatchObject({ name: "ProductError" });
      expect(existsSync(path.join(home, "evil"))).toBe(false);
      expect(existsSync(path.join(home, "..", "evil"))).toBe(false);
    }
  });

  test.each([
    ["a missing file", "/no/such.tar", "STORE_FILE_MISSING"],
    ["a directory", temporaryPlace, "STORE_FILE_IS_DIRECTORY"],
    ["a device", "/dev/null", "STORE_FILE_NOT_REGULAR"],
  ])("recognises %s", async (_, file, code) => {
    const { store } = openStore();
    await expect(importModel(store, file)).rejects.toMatchObject({ code });
  });

  test.each([
    [
      "has an impossible name",
      "s,/mine/,/a b/,",
      /names a model "a b:latest", which is not a valid name/,
    ],
    ["is damaged", "s,^blobs/.*,manifests/h/n/m/t,", /because it is damaged: The manifest /],
  ])("reports a model that %s, naming its archive", async (_, transform, says) => {
    const folder = temporaryFolder();
    writeOllamaModel(folder, "mine", [{ kind: "system", content: "no manifest" }]);
    const archive = path.join(temporaryFolder(), "a.tar");
    const words = ["cf", archive, "--transform", transform, "-C", folder, "blobs", "manifests"];
    execFileSync("tar", words);
    const { store, blobs } = openStore();
    await expect(importModel(store, archive)).rejects.toMatchObject({
      message: expect.stringMatching(says),
      hint: expect.stringContaining("modelctl export"),
    });
    expect(blobs()).toEqual([]);
  });

  test("imports a model once that is in the archive twice", async () => {
    const { archive } = await exported();
    const folder = temporaryFolder();
    execFileSync("tar", ["xf", archive, "-C", folder]);
    execFileSync("tar", ["rf", archive, "-C", folder, "manifests"]);
    const { store } = openStore();
    expect(await importModel(store, archive)).toMatchObject([{ display: "mine:latest" }]);
  });
});

describe("a pipe", () => {
  test("carries a whole model, and is read to the end", async () => {
    const { catalog, store, archive } = await exported("me/mine:v1");
    const pipe = new PassThrough();
    const there = openStore();
    const counts: unknown[] = [];
    const onProgress = (completed: number, total: number | undefined) =>
      counts.push([completed > 0, total]);
    const arriving = importModel(there.store, pipe, { onProgress });
    await exportModel(catalog, store, "me/mine:v1", pipe);
    // Padding that tar programs write at the end.
    pipe.end(Buffer.alloc(1024 ** 2));
    expect(await arriving).toMatchObject([{ display: "me/mine:v1" }]);
    expect((await there.catalog.resolve("me/mine:v1")).system).toBe("S");
    expect(pipe.readableLength).toBe(0);
    expect(new Set(counts.map(String))).toEqual(new Set(["true,"]));
    const bytes = new PassThrough();
    const taken = buffer(bytes);
    await exportModel(catalog, store, "me/mine:v1", bytes);
    bytes.end();
    expect((await taken).equals(readFileSync(archive))).toBe(true);
  });

  test("that breaks leaves nothing", async () => {
    const bytes = readFileSync(archive);
    const { store, blobs, unfinished } = openStore();
    await expect(
      importModel(store, Readable.from([bytes.subarray(0, bytes.length / 2)])),
    ).rejects.toMatchObject({
      code: "STORE_ARCHIVE_INVALID",
      message: "standard input cannot be imported: it is truncated.",
    });
    expect([...blobs(), ...unfinished()]).toEqual([]);
  });
});

describe("exporting is refused", () => {
  test.each([
    ["nobody", "STORE_MODEL_NOT_FOUND", /not found/],
    ["tiny", "STORE_MODEL_READ_ONLY", /need not be exported/],
    [tinyFile, "STORE_NAME_INVALID", /tiny-chat\.gguf is a file, not a model/],
  ])("for %s", async (reference, code, message) => {
    const { catalog, store, at } = openStore();
    await expect(exportModel(catalog, store, reference, at("x.tar"))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(existsSync(at("x.tar"))).toBe(false);
  });

  test.each([
    ["a directory", temporaryPlace, "STORE_FILE_IS_DIRECTORY", /is a directory/],
    ["a device", "/dev/null", "STORE_FILE_NOT_REGULAR", /is a pipe, a socket or a device/],
  ])("into %s, before anything is written", async (_, target, code, says) => {
    const { catalog, store } = await exported();
    const seen: number[] = [];
    await expect(
      exportModel(catalog, store, "mine", target, { onProgress: (bytes) => seen.push(bytes) }),
    ).rejects.toMatchObject({ code, message: expect.stringMatching(says) });
    expect(seen).toEqual([]);
  });

  test("into the file of its own weights, or of any model, even by another name", async () => {
    const { catalog, store, at } = await exported();
    symlinkSync(at("a.gguf"), at("link.tar"));
    copyFileSync(at("a.gguf"), at("other.gguf"));
    const before = readFileSync(at("a.gguf"));
    for (const target of ["a.gguf", "link.tar", "other.gguf"]) {
      await expect(exportModel(catalog, store, "mine", at(target))).rejects.toMatchObject({
        code: "STORE_FILE_IS_MODEL",
        message: `Refusing to overwrite ${at(target)}: it is a model file.`,
      });
      expect(readFileSync(at(target)).equals(before)).toBe(true);
    }
  });

  test("into a missing folder, or of a changed file: the old export stays", async () => {
    const { catalog, store, archive, at, folder } = await exported();
    await expect(
      exportModel(catalog, store, "mine", path.join(folder, "no", "x.tar")),
    ).rejects.toMatchObject({
      code: "STORE_FILE_MISSING",
      message: expect.stringContaining("no does not exist"),
    });
    const before = readFileSync(archive);
    appendFileSync(at("a.gguf"), "x");
    await expect(exportModel(catalog, store, "mine", archive)).rejects.toMatchObject({
      code: "STORE_REFERENCE_CHANGED",
    });
    expect(readFileSync(archive).equals(before)).toBe(true);
    expect(entriesOf(folder).filter((name) => name.includes("-partial"))).toEqual([]);
  });
});

test("leftovers of a killed export are removed by a later one", async () => {
  const { catalog, store, archive, folder } = await exported();
  const [killed, running] = [`${archive}-partial-01234567`, `${archive}-partial-89abcdef`];
  for (const file of [killed, running]) writeFileSync(file, "half an archive");
  const twoHoursAgo = new Date(Date.now() - 7_200_000);
  utimesSync(killed, twoHoursAgo, twoHoursAgo);
  await exportModel(catalog, store, "mine", archive);
  expect(entriesOf(folder).filter((name) => name.includes("-partial"))).toEqual([
    path.basename(running),
  ]);
  expect(await importModel(openStore().store, archive)).toMatchObject([{ display: "mine:latest" }]);
});

test("a read-only store can be exported from", async () => {
  const { catalog, store, folder } = await exported();
  chmodSync(folder, 0o755);
  rmSync(path.join(store.path, "locks"), { recursive: true });
  const target = temporaryFolder();
  const archive = path.join(target, "model.tar");
  await asOrdinaryUser(target, async () => {
    const places = [store.path, store.folder.blobsFolder];
    // Root gives the target away and keeps the store; everybody else locks his own.
    if (process.getuid?.() !== 0) for (const place of places) chmodSync(place, 0o555);
    await exportModel(catalog, store, "mine", archive);
    if (process.getuid?.() !== 0) for (const place of places) chmodSync(place, 0o755);
  });
  expect(await importModel(openStore().store, archive)).toMatchObject([{ display: "mine:latest" }]);
});

test("two exports into one file leave one complete file", async () => {
  const { catalog, store, archive } = await exported();
  const once = () => exportModel(catalog, store, "mine", archive);
  await Promise.all([once(), once(), once()]);
  expect(await importModel(openStore().store, archive)).toMatchObject([{ display: "mine:latest" }]);
});

test("the target of a link is replaced, and the link stays", async () => {
  const { catalog, store, archive, at } = await exported();
  const link = at("link.tar");
  symlinkSync("model.tar", link);
  writeFileSync(archive, "old");
  await exportModel(catalog, store, "mine", link);
  expect(readlinkSync(link)).toBe("model.tar");
  expect(await importModel(openStore().store, archive)).toMatchObject([{ display: "mine:latest" }]);
});

test("an imported model can be removed", async () => {
  const { store, catalog, blobs } = openStore();
  await importModel(store, archive);
  await removeModel(catalog, store, "mine");
  expect(blobs()).toEqual([]);
});

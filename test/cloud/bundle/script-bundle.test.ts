// Files that are deployed with a script, and those that are rejected.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { collectBundle, largestBundleBytes } from "../../../source/cloud/bundle/script-bundle.ts";
import { temporaryFolder } from "../../support/model-store.ts";

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

async function paths(script: string, includes: string[] = []): Promise<string[]> {
  const { files } = await collectBundle(
    script,
    [path.basename(script)],
    includes.map((include) => path.join(folder, include)),
  );
  return files.map((file) => file.path);
}

describe("a bundle", () => {
  test("keeps bytes and executable bits", async () => {
    const script = write("deploy.py", "def serve(): pass\n");
    write("helper.py", "");
    chmodSync(write("tools/start.sh", "#!/bin/sh\n"), 0o755);
    const { script: name, files } = await collectBundle(
      script,
      ["deploy.py", "helper.py"],
      [path.join(folder, "tools")],
    );
    expect(name).toBe("deploy.py");
    expect(files).toEqual([
      {
        path: "deploy.py",
        contentBase64: Buffer.from("def serve(): pass\n").toString("base64"),
        isExecutable: false,
      },
      { path: "helper.py", contentBase64: "", isExecutable: false },
      {
        path: "tools/start.sh",
        contentBase64: Buffer.from("#!/bin/sh\n").toString("base64"),
        isExecutable: true,
      },
    ]);
  });

  test("leaves out generated files and circular links", async () => {
    const script = write("deploy.py", "");
    write("data/a.txt", "a");
    write("data/__pycache__/a.pyc", "x");
    write("data/.git/HEAD", "x");
    symlinkSync(folder, path.join(folder, "data", "circle"));
    symlinkSync(path.join(folder, "nothing"), path.join(folder, "data", "broken"));
    symlinkSync(path.join(folder, "deploy.py"), path.join(folder, "data", "link.py"));
    expect(await paths(script, ["data"])).toEqual(["data/a.txt", "data/link.py", "deploy.py"]);
  });

  test("is the same for any order of its files", async () => {
    const script = write("deploy.py", "");
    write("a.txt", "a");
    write("b.txt", "b");
    expect(await paths(script, ["b.txt", "a.txt", "a.txt"])).toEqual(
      await paths(script, ["a.txt", "b.txt"]),
    );
  });

  test.each([
    ["outside.txt", "is outside the script's folder"],
    ["nowhere.txt", "no such file or folder"],
  ])("refuses %s", async (include, sentence) => {
    const script = write("app/deploy.py", "");
    write("outside.txt", "");
    await expect(paths(script, [include])).rejects.toMatchObject({
      code: "CLOUD_BUNDLE_INVALID",
      message: expect.stringContaining(sentence),
    });
  });

  test("refuses anything but files and folders, without blocking on it", async () => {
    const script = write("deploy.py", "");
    execFileSync("mkfifo", [path.join(folder, "pipe")]);
    await expect(paths(script, ["pipe"])).rejects.toMatchObject({
      code: "CLOUD_BUNDLE_INVALID",
      message: expect.stringContaining("neither a file nor a folder"),
    });
  });

  test("rejects files that exceed the size limit", async () => {
    const script = write("deploy.py", "");
    write("weights.bin", "x".repeat(largestBundleBytes));
    await expect(paths(script, ["weights.bin"])).resolves.toHaveLength(2);
    write("more.bin", "x");
    await expect(paths(script, ["weights.bin", "more.bin"])).rejects.toMatchObject({
      message: expect.stringContaining("files exceed"),
    });
  });
});

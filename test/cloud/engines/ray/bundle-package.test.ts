// Packages that Python, which unpacks them on the nodes, can read.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { packBundle } from "../../../../source/cloud/engines/ray/bundle-package.ts";

const list = `
import io, json, sys, zipfile
archive = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert archive.testzip() is None
print(json.dumps({i.filename: [i.external_attr >> 16 & 0o777, archive.read(i).decode()] for i in archive.infolist()}))
`;

it("a package holds the bundle and what runs it, and has the same name for the same content", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "deployctl-package-"));
  try {
    mkdirSync(path.join(folder, "data", "__pycache__"), { recursive: true });
    writeFileSync(path.join(folder, "deploy.py"), "def serve(): pass\n");
    writeFileSync(path.join(folder, "data", "größe.txt"), "x".repeat(100_000));
    writeFileSync(path.join(folder, "data", "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(path.join(folder, "data", "__pycache__", "old.pyc"), "");
    const { name, zip } = packBundle(folder);
    expect(name).toMatch(/^_ray_pkg_[0-9a-f]{32}\.zip$/);
    expect(packBundle(folder).name).toBe(name);
    expect(zip.length).toBeLessThan(200_000);
    const { stdout, stderr } = spawnSync("python3", ["-c", list], { input: zip });
    expect(String(stderr)).toBe("");
    const found: Record<string, [mode: number, text: string]> = JSON.parse(String(stdout));
    expect(found["bundle/deploy.py"]).toEqual([0o644, "def serve(): pass\n"]);
    expect(found["bundle/data/größe.txt"]?.[1]).toHaveLength(100_000);
    expect(found["bundle/data/run.sh"]?.[0]).toBe(0o755);
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining(["runner.py", "shim/sitecustomize.py", "deployctl_running/ending.py"]),
    );
    expect(Object.keys(found).filter((file) => file.includes("__pycache__"))).toEqual([]);
    writeFileSync(path.join(folder, "deploy.py"), "def serve(): ...\n");
    expect(packBundle(folder).name).not.toBe(name);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

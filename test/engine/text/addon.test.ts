// Interface to the native addon: missing names are reported with the expected version.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  checkAddon,
  expectedAddonVersion,
  findAddonBinary,
  openAddon,
} from "../../../source/engine/text/addon.ts";
import { lookForDevice, openDevice } from "../../../source/engine/text/choose-device.ts";
import { cardReserveBytes, largestFit } from "../../../source/engine/text/fit-layers.ts";

describe("the addon's internal names", () => {
  it("are those of the version that package.json pins and that is installed", () => {
    const root = path.join(import.meta.dirname, "..", "..", "..");
    const own = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    expect(own.dependencies["node-llama-cpp"]).toBe(expectedAddonVersion);
    const main = createRequire(import.meta.url).resolve("node-llama-cpp");
    const installed = JSON.parse(
      readFileSync(path.join(path.dirname(main), "..", "package.json"), "utf8"),
    );
    expect(installed.version).toBe(expectedAddonVersion);
  });

  it("all exist in the installed binary", async () => {
    const binary = findAddonBinary("cpu");
    if (binary === undefined) throw new Error("no CPU build is installed");
    const addon = await openAddon(binary, () => {});
    expect(() => checkAddon(addon)).not.toThrow();
  });

  it("are named when they are missing, with the version expected", () => {
    const check = () => checkAddon({ AddonModel: class {}, init() {} });
    expect(check).toThrow(/has no AddonModel\.init/);
    try {
      check();
    } catch (error) {
      expect(error).toMatchObject({ code: "ENGINE_ADDON_INCOMPATIBLE" });
      expect(String((error as { sentence: string }).sentence)).toContain(expectedAddonVersion);
    }
  });
});

describe("devices", () => {
  it("are refused, not replaced, when one is named that this machine lacks", async () => {
    const missing = (["cuda", "metal", "rocm", "vulkan"] as const).filter(
      (kind) => !lookForDevice(kind).present,
    );
    expect(missing.length).toBeGreaterThan(0);
    for (const kind of missing) {
      await expect(openDevice(kind, () => {})).rejects.toThrow(`--gpu ${kind} cannot be used`);
    }
  });

  it("include advice on ROCm if it is requested", async () => {
    if (lookForDevice("rocm").present) return expect(findAddonBinary("rocm")).toBeDefined();
    await expect(openDevice("rocm", () => {})).rejects.toMatchObject({
      hint: expect.stringMatching(/vulkan.*HIP/s),
    });
  });

  it("are chosen by auto with a reason", async () => {
    const opened = await openDevice("auto", () => {});
    expect(opened.reason).toMatch(/^--gpu auto: /);
  });
});

describe("layers on the GPU", () => {
  const needs = (perLayer: number, fixed: number, free: number) => async (layers: number) => [
    { bytes: fixed + perLayer * layers, freeBytes: free + cardReserveBytes },
  ];
  it.each([
    [33, 100, 10, 1000, 33],
    [33, 100, 10, 430, 33],
    [33, 100, 10, 429, 32],
    [33, 100, 10, 215, 11],
    [33, 100, 10, 105, 0],
    [33, 100, 10, 50, 0],
  ])("of %i: with %i fixed and %i each, %i free fit %i", async (layers, fixed, each, free, fit) => {
    expect(await largestFit(layers, needs(each, fixed, free))).toBe(fit);
  });
});

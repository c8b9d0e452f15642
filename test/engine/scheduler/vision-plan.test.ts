// Engine for a vision model, and reloads for images.
import { beforeEach, describe, expect, it } from "vitest";
import { planLoad, reloadReason } from "../../../source/engine/scheduler/load-plan.ts";
import type { ResolvedModel } from "../../../source/store/model-catalog.ts";
import { tinyEngine } from "../../support/load-tiny.ts";
import { projectorFile, visionFile } from "../../support/load-vision.ts";
import { openStore } from "../../support/model-store.ts";

// No image reader is ever built for a missing device.
const engine = { ...tinyEngine, device: "rocm" as const };
const free = { memoryBytes: 8 * 2 ** 30, cardBytes: undefined };
let model: ResolvedModel;

beforeEach(async () => {
  model = await openStore().catalog.resolve(visionFile);
});

describe("a vision model without a built image reader", () => {
  it("is found with the projector in its folder", () => {
    expect(model.projectors).toEqual([projectorFile]);
  });

  it("is in the text engine until the first image", () => {
    const text = planLoad(model, {}, engine, free);
    const image = planLoad(model, {}, engine, free, "images");
    expect(text.vision).toBeUndefined();
    expect(image.vision).toEqual({ projectorPath: projectorFile, engine: "prebuilt" });
    expect(reloadReason(text, text, {})).toBeUndefined();
    expect(reloadReason(text, image, {}, "images")).toMatch(/images/);
  });

  it("answers text in either engine, and creates embeddings only in the text engine", () => {
    const text = planLoad(model, {}, engine, free);
    const image = planLoad(model, {}, engine, free, "images");
    expect(reloadReason(image, text, {})).toBeUndefined();
    expect(reloadReason(image, image, {}, "images")).toBeUndefined();
    expect(reloadReason(image, text, {}, "embeddings")).toMatch(/embeddings/);
    expect(reloadReason(text, text, {}, "embeddings")).toBeUndefined();
  });
});

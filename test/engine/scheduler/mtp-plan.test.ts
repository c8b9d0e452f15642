// MTP heads in a load: when they are used, how many tokens they draft, the memory they take, and reloads for them.
import { mkdtempSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { planLoad, reloadReason } from "../../../source/engine/scheduler/load-plan.ts";
import { memoryNeed } from "../../../source/engine/scheduler/memory-plan.ts";
import { mtpWarning, planMtp } from "../../../source/engine/scheduler/mtp-plan.ts";
import type { GgufFacts } from "../../../source/store/gguf/gguf-facts.ts";
import type { ResolvedModel } from "../../../source/store/model-catalog.ts";
import { tinyEngine } from "../../support/load-tiny.ts";
import { openStore } from "../../support/model-store.ts";
import { writeMtpModel } from "../../support/mtp-models.ts";

const free = { memoryBytes: 8 * 2 ** 30, cardBytes: undefined };
const room = { contextLength: 4096, slots: 2 };
const wanted = { spec_type: "draft-mtp" } as const;
let tiny: ResolvedModel;
let model: ResolvedModel;
let headless: ResolvedModel;

const folder = mkdtempSync(path.join(homedir(), "mtp-plan-"));
const [file, without] = [path.join(folder, "heads.gguf"), path.join(folder, "none.gguf")];

beforeAll(async () => {
  await writeMtpModel(file, "hybrid");
  await writeMtpModel(without, "hybrid", { isHeadless: true });
});

beforeEach(async () => {
  const { catalog } = openStore();
  tiny = await catalog.resolve("tiny");
  [model, headless] = [await catalog.resolve(file), await catalog.resolve(without)];
});

const changed = (changes: Partial<GgufFacts>): ResolvedModel => ({
  ...model,
  facts: { ...model.facts, ...changes },
});

describe("MTP heads", () => {
  it("are found in a file", () => {
    expect(model.facts.mtpHeads).toMatchObject({ announced: 1, present: 1 });
    expect(headless.facts.mtpHeads).toEqual({ announced: 1, present: 0, activeBytes: 0 });
    expect(tiny.facts.mtpHeads).toEqual({ announced: 0, present: 0, activeBytes: 0 });
    // The layer and the output, without the other layers.
    const { activeBytes } = model.facts.mtpHeads;
    expect(activeBytes).toBeGreaterThan(64 * 786 * 4);
    expect(activeBytes).toBeLessThan(model.facts.fileSize / 2);
  });

  it.each([
    [wanted, 3],
    [{ ...wanted, draft_num_predict: 2 }, 2],
    [{ ...wanted, draft_num_predict: 99 }, 15],
    [{ ...wanted, draft_num_predict: -1 }, 3],
  ])("draft with %j at most %i tokens", (parameters, most) => {
    expect(planMtp(model, parameters, room)).toMatchObject({ most, contextLength: 2048 });
  });

  it.each([[{}], [{ spec_type: "none" } as const], [{ ...wanted, draft_num_predict: 0 }]])(
    "are not used with %j",
    (parameters) => {
      expect(planMtp(model, parameters, room)).toBeUndefined();
      expect(mtpWarning(model, parameters)).toBeUndefined();
    },
  );

  it("take memory, which is planned: more for models that keep recurrent states", () => {
    const [without, settings] = [{}, wanted].map((each) => planLoad(model, each, tinyEngine, free));
    if (without === undefined || settings?.mtp === undefined) throw new Error("no plan");
    expect(settings.mtp.memoryBytes).toBeGreaterThan(0);
    expect(memoryNeed(model, settings).totalBytes).toBe(
      memoryNeed(model, without).totalBytes + settings.mtp.memoryBytes,
    );
    const dense = planMtp(changed({ recurrentWidth: 0 }), wanted, room);
    const hybrid = planMtp(model, wanted, room);
    expect(hybrid?.memoryBytes).toBe(
      (dense?.memoryBytes ?? 0) + model.facts.recurrentWidth * 2 * 3 * 4,
    );
  });

  it("replace a draft model, and say so", () => {
    const both = { ...model, draft: { name: "small", facts: tiny.facts } };
    expect(planLoad(both, wanted, tinyEngine, free).draft).toBeUndefined();
    expect(mtpWarning(both, wanted)).toBe(
      "The draft model small is left out: spec_type draft-mtp chooses the model's MTP heads.",
    );
  });

  it("cause a reload only for requests that name them", () => {
    const [without, settings] = [{}, wanted].map((each) => planLoad(model, each, tinyEngine, free));
    if (without === undefined || settings === undefined) throw new Error("no plan");
    expect(reloadReason(without, settings, wanted)).toBe("spec_type differs");
    expect(reloadReason(settings, without, { spec_type: "none" })).toBe("spec_type differs");
    expect(reloadReason(settings, without, {})).toBeUndefined();
    expect(reloadReason(settings, settings, { draft_num_predict: 3 })).toBeUndefined();
    const fewer = planLoad(model, { ...wanted, draft_num_predict: 2 }, tinyEngine, free);
    expect(reloadReason(settings, fewer, { draft_num_predict: 2 })).toBe(
      "draft_num_predict differs",
    );
  });

  it.each<[string, () => ResolvedModel, RegExp]>([
    ["the model has none", () => tiny, /^.* tiny has no MTP heads\.$/],
    ["the file has none", () => headless, /announces MTP heads, but its file has none\.$/],
    [
      "llama.cpp ignores those of the architecture",
      () => changed({ architecture: "glm4" }),
      /has MTP heads that llama\.cpp cannot use \(architecture 'glm4'\)\.$/,
    ],
    [
      "llama.cpp supports fewer",
      () => changed({ mtpHeads: { announced: 2, present: 2, activeBytes: 1 } }),
      /has 2 MTP heads, and llama\.cpp supports one \(architecture 'qwen35'\)\.$/,
    ],
  ])("have no effect, with a sentence, where %s", (_case, find, sentence) => {
    expect(planMtp(find(), wanted, room)).toBeUndefined();
    const warning = mtpWarning(find(), wanted);
    expect(warning).toMatch(/^spec_type draft-mtp has no effect: /);
    expect(warning).toMatch(sentence);
  });
});

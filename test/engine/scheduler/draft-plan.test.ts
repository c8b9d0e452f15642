// Draft model in a load: how many tokens it drafts, the memory it takes, and reloads for it.
import { beforeEach, describe, expect, it } from "vitest";
import { draftBytes, planDraft } from "../../../source/engine/scheduler/draft-plan.ts";
import { planLoad, reloadReason } from "../../../source/engine/scheduler/load-plan.ts";
import { memoryNeed } from "../../../source/engine/scheduler/memory-plan.ts";
import type { ResolvedModel } from "../../../source/store/model-catalog.ts";
import { memoryModelFile } from "../../support/load-memory-model.ts";
import { tinyEngine } from "../../support/load-tiny.ts";
import { openStore } from "../../support/model-store.ts";

const free = { memoryBytes: 8 * 2 ** 30, cardBytes: undefined };
let plain: ResolvedModel;
let model: ResolvedModel & { draft: NonNullable<ResolvedModel["draft"]> };

beforeEach(async () => {
  const { catalog } = openStore();
  plain = await catalog.resolve("tiny");
  const { facts } = await catalog.resolve(await memoryModelFile("dense"));
  model = { ...plain, draft: { name: "small", facts } };
});

describe("a draft model", () => {
  it.each([
    [{}, 15],
    [{ draft_num_predict: 4 }, 4],
    [{ draft_num_predict: 99 }, 15],
    [{ draft_num_predict: -1 }, 15],
  ])("drafts with %j at most %i tokens", (parameters, most) => {
    expect(planDraft(model, parameters, 4096)).toMatchObject({ name: "small", most });
  });

  it("is not loaded with draft_num_predict 0, and where there is none", () => {
    expect(planDraft(model, { draft_num_predict: 0 }, 4096)).toBeUndefined();
    expect(planLoad(plain, {}, tinyEngine, free).draft).toBeUndefined();
  });

  it("takes memory, which is planned", () => {
    const [without, settings] = [plain, model].map((each) => planLoad(each, {}, tinyEngine, free));
    if (without === undefined || settings === undefined) throw new Error("no plan");
    const bytes = draftBytes(model.draft, settings.contextLength);
    expect(bytes).toBeGreaterThan(model.draft.facts.fileSize);
    expect(memoryNeed(model, settings).totalBytes).toBe(
      memoryNeed(plain, without).totalBytes + bytes,
    );
  });

  it("is planned without memory if it is larger than the model, since it will be left out", () => {
    const facts = { ...model.draft.facts, fileSize: 2 * model.facts.fileSize };
    const draft = planDraft({ ...model, draft: { name: "large", facts } }, {}, 4096);
    expect(draft?.memoryBytes).toBe(0);
  });

  it("causes a reload of a model that was loaded without it, but not the other way round", () => {
    const [without, settings] = [plain, model].map((each) => planLoad(each, {}, tinyEngine, free));
    if (without === undefined || settings === undefined) throw new Error("no plan");
    expect(reloadReason(without, settings, {})).toBe("the draft model differs");
    expect(reloadReason(settings, without, {})).toBeUndefined();
    expect(reloadReason(settings, settings, { draft_num_predict: 15 })).toBeUndefined();
    const fewer = planLoad(model, { draft_num_predict: 3 }, tinyEngine, free);
    expect(reloadReason(settings, fewer, { draft_num_predict: 3 })).toBe(
      "draft_num_predict differs",
    );
  });
});

// The model that the chat opens with.
import { expect, test } from "vitest";
import { bestOf, lastUsable } from "../../source/cli/starting-model.ts";

const deployment = { profile: "local", app: "local/tiny", url: "http://127.0.0.1:8480" };
const chats = (...models: string[]) => models.map((model) => ({ model, deployment: undefined }));

test("is the one used last that can be used", async () => {
  const tried: string[] = [];
  const isUsable = async (model: string) => {
    tried.push(model);
    return model !== "gone";
  };
  expect(await lastUsable(chats("gone", "gone", "large", "tiny"), isUsable)).toBe("large");
  expect(tried).toEqual(["gone", "large"]);
});

test("is none of a deployment", async () => {
  const remote = { model: "their-model", deployment };
  expect(await lastUsable([remote, ...chats("mine")], async () => true)).toBe("mine");
  expect(await lastUsable([remote], async () => true)).toBeUndefined();
});

test("is looked for among a few only", async () => {
  const many = chats(...Array.from({ length: 50 }, (_, index) => `gone-${index}`));
  const tried: string[] = [];
  const none = await lastUsable(many, async (model) => {
    tried.push(model);
    return false;
  });
  expect(none).toBeUndefined();
  expect(tried).toHaveLength(5);
});

const candidate = (name: string, sizeBytes: number, tokensPerSecond?: number, fits = true) => ({
  name,
  sizeBytes,
  fits,
  tokensPerSecond,
});

test("is the largest that fits and answers fast enough, if none was used", () => {
  const models = [
    candidate("small", 1, 60),
    candidate("medium", 5, 9),
    candidate("slow", 9, 3),
    candidate("huge", 90, 20, false),
  ];
  expect(bestOf(models)?.name).toBe("medium");
  expect(bestOf(models.filter(({ name }) => name === "slow" || name === "huge"))?.name).toBe(
    "slow",
  );
  expect(bestOf([candidate("slower", 20, 1), candidate("slow", 9, 3)])?.name).toBe("slow");
});

test("is the only one even if it is too large, and none if none of several fits", () => {
  const huge = candidate("huge", 90, undefined, false);
  expect(bestOf([huge])?.name).toBe("huge");
  expect(bestOf([huge, candidate("other", 80, undefined, false)])).toBeUndefined();
  expect(bestOf([])).toBeUndefined();
});

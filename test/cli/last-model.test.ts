// The model that the chat opens with.
import { expect, test } from "vitest";
import { lastUsable } from "../../source/cli/last-model.ts";

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

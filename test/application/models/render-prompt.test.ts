// Images of a conversation are in its prompt, or refused, as in a request.
import { expect, test } from "vitest";
import { ModelLibrary } from "../../../source/application/models/model-library.ts";
import { loadSettings } from "../../../source/configuration/load-settings.ts";
import { openStore, projectorFile } from "../../support/model-store.ts";

const onePixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const conversation = (image: string) =>
  JSON.stringify([{ role: "user", content: "Is [img] red?", images: [image] }]);

test("images have their marks, and are refused by models without vision", async () => {
  const { folder, tinyAt, create, at } = openStore();
  await create("seeing", { from: [tinyAt("mine.gguf"), projectorFile] });
  const settings = { ...loadSettings({}).values, models: at("models") };
  const library = new ModelLibrary(settings, { data: folder, cache: folder }, {});
  const { text } = await library.render("seeing", conversation(onePixel));
  expect(text).toContain("user\nIs [img-0] red?<|im_end|>");
  await expect(library.render("tiny", conversation(onePixel))).rejects.toMatchObject({
    message: '"tiny:latest" does not support images',
  });
  await expect(library.render("seeing", conversation("?"))).rejects.toMatchObject({
    message: "illegal base64 data at input byte 0",
    param: "messages.0.images.0",
  });
});

// Tests the small picture of an attached image.

import sharp from "sharp";
import { expect, test } from "vitest";
import { previewRows } from "../../../source/chat/conversation/attach-prompt.ts";

test("an image becomes a small picture of half blocks", async () => {
  const red = { create: { width: 8, height: 4, channels: 3, background: "#ff0000" } } as const;
  const image = await sharp({ create: { ...red.create, height: 8, background: "#0000ff" } })
    .composite([{ input: await sharp(red).png().toBuffer(), top: 0, left: 0 }])
    .png()
    .toBuffer();
  const rows = await previewRows(image.toString("base64"));
  expect(rows).toHaveLength(8);
  const half = { text: "▀".repeat(16) };
  expect(rows[0]).toEqual([{ ...half, color: "#ff0000", backgroundColor: "#ff0000" }]);
  expect(rows[7]).toEqual([{ ...half, color: "#0000ff", backgroundColor: "#0000ff" }]);
  expect(await previewRows("")).toEqual([]);
});

// Chat with a vision model: the built program in a pseudo-terminal, with the real model.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { imageFile, imagePairs, visionFile } from "../support/load-vision.ts";
import { openTerminal } from "../support/pty.ts";

/** The smallest, a wide one and a tall one. */
const pairs = ["green-pixel.png", "blue-square-wide.jpg", "yellow-tall.png"].flatMap((name) =>
  imagePairs.filter(({ image, question }) => image === name && question === "Describe this image."),
);

let home: string;
beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), "modelctl-seeing-"));
  copyFileSync(imageFile("red-circle.png"), path.join(home, "my circle.png"));
  copyFileSync(imageFile("blue-square-wide.jpg"), path.join(home, "square.jpg"));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe("the chat with a vision model", () => {
  it("describes images, and keeps them when it is closed, resumed by name, retried and cleared", async () => {
    // Images are drawn only with colours.
    const environment = { FORCE_COLOR: "2" };
    const first = await openTerminal(["run", visionFile], { home, columns: 90, environment });
    try {
      await first.shows("Send a message");
      await first.takesKeys();
      await first.send("/set parameter temperature 0");
      await first.shows("Set parameter");
      expect(pairs).toHaveLength(3);
      for (const { image, question, answer } of pairs) {
        await first.send(`/image ${imageFile(image)} ${question}`);
        await first.shows(answer);
        await first.shows("Enter send");
        await first.send("/clear");
        await first.showsNot(answer);
      }
      first.type("Describe this image. ./my");
      await first.shows("> Describe this image. ./my");
      first.type("\t");
      await first.shows("> Describe this image. ./my\\ circle.png");
      first.type("\r");
      await first.shows("attached my circle.png 200x200, 36 tokens");
      await first.shows("▀▀▀▀");
      await first.shows("The image shows a red circle.");
      await first.shows("Enter send");
      await first.send("/image dog.png what is it");
      await first.shows("File dog.png does not exist.");
      first.type("\u0015");
      await first.send("/rename Shapes");
      await first.shows("Renamed this chat to 'Shapes'.");
      await first.send("/bye");
      await first.exited;
    } finally {
      await first.close();
    }
    const second = await openTerminal(["run", "--session", "shapes"], { home, columns: 90 });
    try {
      await second.shows("Resumed 'Shapes'.");
      await second.shows("The image shows a red circle.");
      await second.takesKeys();
      await second.send("What shape is in this image? square.jpg");
      await second.shows("The image shows a square.");
      await second.shows("Enter send");
      second.type("\t");
      await second.shows("r regenerate");
      second.type("r");
      await second.shows("Regenerate? The answer to");
      second.type("y");
      await second.shows("Esc stop");
      await second.shows("Enter send");
      await second.send("/model tiny");
      await second.shows("Switched to tiny.");
      await second.send("and ./square.jpg?");
      await second.shows('"tiny" does not support images: square.jpg was not sent.');
      await second.shows("> and ./square.jpg?");
    } finally {
      await second.close();
    }
  });
});

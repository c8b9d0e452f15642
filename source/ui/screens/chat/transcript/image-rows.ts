// An image in the transcript: its name and size, and a small picture where the terminal has colours.

import type { EntryImage } from "../../../../chat/conversation/transcript-entry.ts";
import { attachedText } from "../../../../client/attachments/read-image-file.ts";
import { wrapRuns } from "../../../markdown/wrap-runs.ts";
import { runsWidth, type TextRow, type TextRun } from "../../../text/text-run.ts";

export function imageRows(image: EntryImage, width: number, isDrawn: boolean): TextRow[] {
  const { preview, base64 } = image;
  const gone = base64 === "" ? " (file missing)" : "";
  const text = attachedText(image, image.tokens) + gone;
  const [line = []] = wrapRuns([{ text, tone: "dim" }], width);
  if (!isDrawn) return [line];
  const picture = preview.map((row) => row.map((run): TextRun => ({ ...run, tone: "plain" })));
  return [line, ...picture.filter((row) => runsWidth(row) <= width)];
}

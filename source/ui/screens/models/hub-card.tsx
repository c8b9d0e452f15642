// The card of a model of the hub: its facts and figures, and the quantizations to pull.

import { Text } from "ink";
import type { ReactElement } from "react";
import { formatBytes, formatCount, formatRelativeTime } from "../../../base/formats.ts";
import type { HubQuantization } from "../../../client/models-hub.ts";
import { Line, useParagraph } from "../../components/line.tsx";
import { panelInnerWidth } from "../../components/panel.tsx";
import { ScrollPanel, type ScrollPanelProps } from "../../components/scroll-panel.tsx";
import { useLook, useNow } from "../../hooks/use-look.ts";
import { formatTally, tokenCount } from "../../text/quantities.ts";
import { fitRuns, fitText, foreignText, type TextRun } from "../../text/text-run.ts";
import { downloadFailure } from "./download-list.tsx";
import { fitOfWeights } from "./estimate.ts";
import type { HubEntry } from "./model-entries.ts";
import type { ModelsState } from "./models-state.ts";
import { fitWords } from "./state-cells.ts";

const sizeWidth = 7;
const fitWidth = 5;

export interface HubCardProps {
  readonly state: ModelsState;
  readonly entry: HubEntry;
  readonly panel: ScrollPanelProps;
}

export function HubCard({ state, entry, panel }: HubCardProps): ReactElement {
  const { glyphs } = useLook();
  const nowMs = useNow();
  const width = panelInnerWidth(panel.width);
  const paragraph = useParagraph(width);
  const { model, installed } = entry;
  const capacity = state.capacity.value;
  const offer = state.offers.get(entry.name);
  const separator = ` ${glyphs.separator} `;
  const { architecture, parameterCount, contextLength, downloads, likes, modifiedMs } = model;
  const facts = [
    architecture !== undefined && `arch ${architecture}`,
    parameterCount !== undefined && formatCount(parameterCount),
    contextLength !== undefined && `${tokenCount(contextLength)} context`,
  ].filter(Boolean);
  const figures = [
    downloads !== undefined && `${formatTally(downloads)} downloads`,
    likes !== undefined && `${formatTally(likes)} likes`,
    modifiedMs !== undefined && formatRelativeTime(modifiedMs, nowMs),
  ].filter(Boolean);
  const offered = offer?.value ?? [];
  const selectorWidth = Math.max(0, ...offered.map(({ selector }) => selector.length));
  /** Size, a first guess at the fit, and remarks, in one row. */
  const runsOf = (quantization: HubQuantization): readonly TextRun[] => {
    const { selector, sizeBytes, isDefault, hasProjector } = quantization;
    const name = fitText(foreignText(selector, glyphs.isAscii), selectorWidth, glyphs.ellipsis);
    const fit = capacity && fitWords[fitOfWeights(sizeBytes, capacity)];
    const remarks = `${hasProjector ? " vision" : ""}${isDefault ? " default" : ""}`;
    const runs: readonly TextRun[] = [
      { text: name, tone: isDefault ? "value" : "plain" },
      { text: `  ${formatBytes(sizeBytes).padStart(sizeWidth)}  `, tone: "plain" },
      ...(fit === undefined ? [] : [{ ...fit, text: fit.text.padEnd(fitWidth) }]),
      { text: remarks, tone: "dim" },
    ];
    return fitRuns(runs, width, glyphs.ellipsis);
  };
  return (
    <ScrollPanel {...panel}>
      {downloadFailure(entry.download, paragraph, glyphs)}
      {paragraph(model.repository, "title")}
      {facts.length > 0 && paragraph(facts.join(separator))}
      {paragraph(`licence ${model.license ?? "unknown"}`)}
      {figures.length > 0 && paragraph(figures.join(separator))}
      {model.isGated &&
        paragraph(
          `${glyphs.warning} gated: accept the terms on the hub, then set HF_TOKEN for the server.`,
          "warning",
        )}
      <Text> </Text>
      {installed.length > 0 && (
        <>
          {paragraph("Installed", "title")}
          {installed.map((name) => paragraph(name))}
          <Text> </Text>
        </>
      )}
      {paragraph("Quantizations", "title")}
      {offer?.error !== undefined
        ? paragraph(offer.error, "error")
        : offer?.value === undefined && paragraph(`loading${glyphs.ellipsis}`, "dim")}
      {offered.map((quantization) => (
        <Line key={quantization.selector} runs={runsOf(quantization)} />
      ))}
      {offer?.value !== undefined &&
        paragraph("Press Enter to pull one, or i to read the model card.", "dim")}
    </ScrollPanel>
  );
}

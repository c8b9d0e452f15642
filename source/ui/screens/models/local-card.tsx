// The card of an installed model: its facts, the memory that it takes, its Modelfile.

import { Text } from "ink";
import type { ReactElement } from "react";
import { formatRelativeTime } from "../../../base/formats.ts";
import { type Paragraph, useParagraph } from "../../components/line.tsx";
import { panelInnerWidth } from "../../components/panel.tsx";
import { ScrollPanel, type ScrollPanelProps } from "../../components/scroll-panel.tsx";
import { useLook, useNow } from "../../hooks/use-look.ts";
import { deletionSentence, licenseName, modelfileSummary } from "./card-text.ts";
import { downloadFailure } from "./download-list.tsx";
import { memoryEstimateRows } from "./memory-estimate.tsx";
import type { LocalEntry } from "./model-entries.ts";
import { type CardFacts, cardKey, type ModelsState } from "./models-state.ts";

const digestLength = 12;

export interface LocalCardProps {
  readonly state: ModelsState;
  readonly entry: LocalEntry;
  readonly panel: ScrollPanelProps;
}

export function LocalCard({ state, entry, panel }: LocalCardProps): ReactElement {
  const { glyphs } = useLook();
  const nowMs = useNow();
  const width = panelInnerWidth(panel.width);
  const paragraph = useParagraph(width);
  const { model, estimate, download } = entry;
  if (model === undefined) {
    return (
      <ScrollPanel {...panel}>
        {downloadFailure(download, paragraph, glyphs) ?? paragraph("Not downloaded yet.", "dim")}
      </ScrollPanel>
    );
  }
  const { choice, capacity, cards } = state;
  const card = cards.get(cardKey(model));
  const facts = card?.value;
  const layers = estimate && `${estimate.layers - 1} layers`;
  const line = [`arch ${model.family}`, layers, model.parameterSize, model.quantization];
  return (
    <ScrollPanel {...panel}>
      {downloadFailure(download, paragraph, glyphs)}
      {facts !== undefined && descriptionRows(facts, paragraph)}
      {paragraph(line.filter(Boolean).join(` ${glyphs.separator} `))}
      {model.capabilities.length > 0 && paragraph(`supports ${model.capabilities.join(", ")}`)}
      <Text> </Text>
      {estimate !== undefined && capacity.value !== undefined && (
        <>
          {memoryEstimateRows({ estimate, capacity: capacity.value, choice, width })}
          <Text> </Text>
        </>
      )}
      {model.memory === undefined && (
        <>
          {paragraph("Cannot read the model file. Run `modelctl show` for the reason.", "warning")}
          <Text> </Text>
        </>
      )}
      {card?.error !== undefined
        ? paragraph(card.error, "error")
        : facts === undefined
          ? paragraph(`loading${glyphs.ellipsis}`, "dim")
          : originRows(facts, paragraph)}
      {paragraph(`Modified ${formatRelativeTime(model.modifiedMs, nowMs)}`, "dim")}
      {paragraph(`Store ${model.store}, digest ${model.digest.slice(0, digestLength)}`, "dim")}
    </ScrollPanel>
  );
}

/** The model's own title, its description and its licence. */
function descriptionRows({ description }: CardFacts, paragraph: Paragraph): ReactElement {
  const { info, description: sentence, license } = description;
  const title = info["general.name"] ?? info["general.basename"];
  return (
    <>
      {typeof title === "string" && paragraph(title, "title")}
      {sentence !== undefined && paragraph(sentence)}
      {paragraph(`licence ${licenseName(info["general.license"], license)}`)}
    </>
  );
}

/** The Modelfile in a line, the template, and the bytes that deleting the model frees. */
function originRows({ description, deletion }: CardFacts, paragraph: Paragraph): ReactElement {
  const { modelfile, template } = description;
  const language = template.language === undefined ? "" : `, ${template.language}`;
  return (
    <>
      {paragraph(modelfileSummary(modelfile))}
      {paragraph(`Template from ${template.origin}${language}. ${template.reason}`, "dim")}
      <Text> </Text>
      {deletion !== undefined && paragraph(deletionSentence(deletion), "dim")}
    </>
  );
}

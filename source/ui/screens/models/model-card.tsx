// The card of the selected model, by its source: its facts, and the keys that act on it.

import type { ReactElement } from "react";
import { shownModel } from "../../../base/display-text.ts";
import {
  formatBytes,
  formatCount,
  formatMemory,
  formatRelativeTime,
} from "../../../base/formats.ts";
import { formatTally, tokenCount } from "../../../base/quantities.ts";
import { loadedValue } from "../../../client/live/loadable.ts";
import { fitOfWeights } from "../../../client/memory-estimate.ts";
import type { HubQuantization } from "../../../client/models-hub.ts";
import { Line, type Paragraph, useParagraph } from "../../components/line.tsx";
import { panelInnerWidth } from "../../components/panel.tsx";
import { ScrollPanel, type ScrollPanelProps } from "../../components/scroll-panel.tsx";
import { useNow } from "../../hooks/use-look.ts";
import { fitRuns, fitText, type TextRun } from "../../text/text-run.ts";
import { glyphs } from "../../theme.ts";
import { deletionSentence, licenseName, modelfileSummary } from "./card-text.ts";
import { downloadFailure } from "./download-list.tsx";
import { fitWords, processorOf, timeToUnload } from "./list-columns.ts";
import { memoryEstimateRows } from "./memory-estimate.tsx";
import type { HubEntry, LocalEntry, ModelEntry, RunningEntry } from "./model-entries.ts";
import { shortName } from "./model-name.ts";
import { type CardFacts, cardKey, type ModelsState } from "./models-state.ts";

const digestLength = 12;
const sizeWidth = 7;
const fitWidth = 5;

export interface ModelCardProps {
  readonly state: ModelsState;
  /** Undefined where the list is empty. */
  readonly entry: ModelEntry | undefined;
  readonly width: number;
  readonly height: number;
  /** Called with the last row that the card scrolls to. */
  readonly onExtent: (lastTop: number) => void;
}

export function ModelCard(props: ModelCardProps): ReactElement {
  const { state, entry, width, height, onExtent } = props;
  const title =
    entry === undefined ? "Model" : shortName(entry.name, panelInnerWidth(width), glyphs.ellipsis);
  const isFocused = state.pane === "card";
  const panel = { width, height, title, isFocused, top: state.cardTop, onExtent };
  switch (entry?.kind) {
    case "local":
      return <LocalCard state={state} entry={entry} panel={panel} />;
    case "hub":
      return <HubCard state={state} entry={entry} panel={panel} />;
    case "running":
      return <RunningCard entry={entry} panel={panel} />;
    case undefined:
      return <ScrollPanel {...panel} />;
  }
}

interface CardProps<Entry> {
  readonly state: ModelsState;
  readonly entry: Entry;
  readonly panel: ScrollPanelProps;
}

/** An installed model: its facts, the memory that it takes, its Modelfile. */
function LocalCard({ state, entry, panel }: CardProps<LocalEntry>): ReactElement {
  const nowMs = useNow();
  const width = panelInnerWidth(panel.width);
  const paragraph = useParagraph(width);
  const { model, estimate, download, found } = entry;
  if (found !== undefined) {
    return (
      <ScrollPanel {...panel}>
        {paragraph("Found on this machine, not added", "title")}
        {paragraph(found.path)}
        {paragraph(
          `arch ${found.architecture} ${glyphs.separator} ${formatBytes(found.sizeBytes)}`,
        )}
        <Line runs={[]} />
        {paragraph("Enter adds it as a model, which refers to the file.", "dim")}
      </ScrollPanel>
    );
  }
  if (model === undefined) {
    return (
      <ScrollPanel {...panel}>
        {downloadFailure(download, paragraph) ?? paragraph("Not downloaded yet.", "dim")}
      </ScrollPanel>
    );
  }
  const { choice, capacity, cards } = state;
  const card = cards.get(cardKey(model));
  const facts = loadedValue(card);
  const layers = estimate && `${estimate.layers - 1} layers`;
  const line = [`arch ${model.family}`, layers, model.parameterSize, model.quantization];
  return (
    <ScrollPanel {...panel}>
      {downloadFailure(download, paragraph)}
      {facts !== undefined && descriptionRows(facts, paragraph)}
      {paragraph(line.filter(Boolean).join(` ${glyphs.separator} `))}
      {model.capabilities.length > 0 && paragraph(`supports ${model.capabilities.join(", ")}`)}
      <Line runs={[]} />
      {estimate !== undefined && capacity.value !== undefined && (
        <>
          {memoryEstimateRows({ estimate, capacity: capacity.value, choice, width })}
          {choice.contextLength === undefined && limitRow(entry, paragraph)}
          <Line runs={[]} />
        </>
      )}
      {model.memory === undefined && (
        <>
          {paragraph("Cannot read the model file. Run `modelctl show` for the reason.", "warning")}
          <Line runs={[]} />
        </>
      )}
      {card?.kind === "failed"
        ? paragraph(card.sentence, "error")
        : facts === undefined
          ? paragraph(`loading${glyphs.ellipsis}`, "dim")
          : originRows(facts, paragraph)}
      {paragraph(`Modified ${formatRelativeTime(model.modifiedMs, nowMs).toLowerCase()}`, "dim")}
      {paragraph(`Store ${model.store}, digest ${model.digest.slice(0, digestLength)}`, "dim")}
    </ScrollPanel>
  );
}

/** The reason why the automatic window is not longer. */
function limitRow({ model }: LocalEntry, paragraph: Paragraph): ReturnType<Paragraph> {
  const limit = model?.memory?.windowLimit;
  return limit === undefined ? [] : paragraph(`Context limited by ${limit}`, "dim");
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
      <Line runs={[]} />
      {deletion !== undefined && paragraph(deletionSentence(deletion), "dim")}
    </>
  );
}

/** A model of the hub: its facts and figures, and the quantizations to pull. */
function HubCard({ state, entry, panel }: CardProps<HubEntry>): ReactElement {
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
  const offered = loadedValue(offer) ?? [];
  const selectorWidth = Math.max(0, ...offered.map(({ selector }) => selector.length));
  /** Size, a first guess at the fit, and remarks, in one row. */
  const runsOf = (quantization: HubQuantization): readonly TextRun[] => {
    const { selector, sizeBytes, isDefault, hasProjector } = quantization;
    const name = fitText(selector, selectorWidth);
    const fit = capacity && fitWords[fitOfWeights(sizeBytes, capacity)];
    const remarks = `${hasProjector ? " vision" : ""}${isDefault ? " default" : ""}`;
    const runs: readonly TextRun[] = [
      { text: name, tone: isDefault ? "value" : "plain" },
      { text: `  ${formatBytes(sizeBytes).padStart(sizeWidth)}  `, tone: "plain" },
      ...(fit === undefined ? [] : [{ ...fit, text: fit.text.padEnd(fitWidth) }]),
      { text: remarks, tone: "dim" },
    ];
    return fitRuns(runs, width);
  };
  return (
    <ScrollPanel {...panel}>
      {downloadFailure(entry.download, paragraph)}
      {paragraph(model.repository, "title")}
      {facts.length > 0 && paragraph(facts.join(separator))}
      {paragraph(`licence ${model.license ?? "unknown"}`)}
      {figures.length > 0 && paragraph(figures.join(separator))}
      {model.isGated &&
        paragraph(
          `${glyphs.warning} gated: accept the terms on the hub, then set HF_TOKEN for the server.`,
          "warning",
        )}
      <Line runs={[]} />
      {installed.length > 0 && (
        <>
          {paragraph("Installed", "title")}
          {installed.map((name) => paragraph(name))}
          <Line runs={[]} />
        </>
      )}
      {paragraph("Quantizations", "title")}
      {offer?.kind === "failed"
        ? paragraph(offer.sentence, "error")
        : offer?.kind !== "loaded" && paragraph(`loading${glyphs.ellipsis}`, "dim")}
      {offered.map((quantization) => (
        <Line key={quantization.selector} runs={runsOf(quantization)} />
      ))}
      {offer?.kind === "loaded" &&
        paragraph("Press Enter to pull one, or i to read the model card.", "dim")}
    </ScrollPanel>
  );
}

/** A loaded model: its memory, its requests, and the options that it was loaded with. */
function RunningCard({
  entry: { loaded },
  panel,
}: Omit<CardProps<RunningEntry>, "state">): ReactElement {
  const nowMs = useNow();
  const paragraph = useParagraph(panelInnerWidth(panel.width));
  const { running = 0, waiting = 0 } = fieldsIn(loaded.requests);
  const options = Object.entries(fieldsIn(loaded.load_options));
  return (
    <ScrollPanel {...panel}>
      {paragraph(`${formatMemory(loaded.size)} in memory, ${processorOf(loaded)}`)}
      {paragraph(`Context ${loaded.context_length} tokens in each slot`)}
      {loaded.window_limit !== undefined && paragraph(`limited by ${loaded.window_limit}`, "dim")}
      {paragraph(`Requests ${String(running)} running, ${String(waiting)} waiting`)}
      {paragraph(`Keep alive ${timeToUnload(loaded, nowMs)}`)}
      {loaded.names.length > 1 && paragraph(`Serves ${loaded.names.map(shownModel).join(", ")}`)}
      <Line runs={[]} />
      {paragraph("Loaded with", "title")}
      {options.map(([name, value]) => paragraph(`${name} ${String(value)}`, "code"))}
      {typeof loaded.process_id === "number" && paragraph(`Process ${loaded.process_id}`, "dim")}
    </ScrollPanel>
  );
}

function fieldsIn(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === "object" ? { ...value } : {};
}

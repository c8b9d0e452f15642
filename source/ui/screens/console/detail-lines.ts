// Details of one deployment as labelled lines.

import { shownModel, toOneLine } from "../../../base/display-text.ts";
import { formatMilliseconds, formatRelativeTime } from "../../../base/formats.ts";
import type {
  AppDetails,
  ReplicaDocument,
  RevisionDocument,
} from "../../../cloud/admin/documents.ts";
import { wrapText } from "../../text/text-run.ts";
import { sharingText, shortReplica, shortRevision, stateWord } from "./console-texts.ts";

export interface DetailsFacts {
  readonly details: AppDetails;
  /** Newest first. */
  readonly revisions: readonly RevisionDocument[];
  readonly replicas: readonly ReplicaDocument[];
  /** Lines to paste. */
  readonly callLines: readonly string[];
}

/** A label and its text; without a text the label is a heading. */
export interface DetailLine {
  readonly label: string;
  readonly text: string | undefined;
}

export const detailLabelWidth = 12;

/** Returns the lines wrapped to a width; wrapped rows have no label. */
export function detailRows(
  facts: DetailsFacts,
  { width, now }: { width: number; now: number },
): DetailLine[] {
  const room = Math.max(1, width - detailLabelWidth);
  return detailLines(facts, now).flatMap((line): DetailLine[] => {
    if (line.text === undefined) return [line];
    return wrapText(toOneLine(line.text), room).map(({ text }, index) => ({
      label: index === 0 ? line.label : "",
      text,
    }));
  });
}

function detailLines(facts: DetailsFacts, now: number): DetailLine[] {
  const { details, revisions, replicas, callLines } = facts;
  const ended = replicas.filter(({ exit }) => exit !== undefined);
  return [
    ...stateLines(details, now),
    ...configLines(details),
    ...section("Revisions"),
    ...revisions.map((one) => revisionLine(one, details.activeRevision, now)),
    ...(ended.length === 0 ? [] : section("Ended replicas")),
    ...ended.flatMap(({ replica, state, exit }) => [
      line(shortReplica(replica), `${stateWord(state)}: ${exit?.sentence ?? ""}`),
      ...(exit?.tail ?? []).map((text) => line("", `| ${text}`)),
    ]),
    ...(callLines.length === 0 ? [] : section("Example calls")),
    ...callLines.map((text) => line("", text)),
  ];
}

function stateLines(details: AppDetails, now: number): DetailLine[] {
  const { state, reason, scale, overrides, rollout } = details;
  const { minConcurrency, maxConcurrency, maxMultiplexing, keepAliveMs } = scale;
  const stay = formatMilliseconds(keepAliveMs);
  const lines = [
    line("State", `${stateWord(state)}${reason ? `: ${reason}` : ""}`),
    ...(details.activeRevision === undefined ? missingLines(details) : addressLines(details)),
    line("Access", details.auth),
    line(
      "Replicas",
      `${minConcurrency} to ${maxConcurrency}, concurrency ${maxMultiplexing}, idle timeout ${stay}`,
    ),
  ];
  if (overrides.length > 0) {
    lines.push(line("", `override the script: ${overrides.join(", ")}`));
  }
  lines.push(...trafficLines(details, now));
  if (rollout !== undefined) {
    const since = formatRelativeTime(rollout.since, now);
    lines.push(line("Rollout", `to ${rollout.revision}, started ${since}`));
  }
  return lines;
}

function trafficLines({ traffic }: AppDetails, now: number): DetailLine[] {
  if (traffic === undefined) return [];
  const [, { percent }] = traffic.revisions;
  const further = traffic.steps?.percents.filter((each) => each > percent) ?? [];
  const since = `set ${formatRelativeTime(traffic.since, now).toLowerCase()}`;
  const next = further.length === 0 ? "" : `, next ${further.join(", ")} %`;
  const texts = [...traffic.revisions.map(sharingText), `${since}${next}; t promotes or aborts`];
  return texts.map((text, index) => line(index === 0 ? "Traffic" : "", text));
}

/** An app without an active revision cannot be called. */
function missingLines({ organisation, app, state }: AppDetails): DetailLine[] {
  return [
    ...(state === "FAILED" ? [line("", "No revision has started, so it cannot be called.")] : []),
    line("Log", `l shows it, as does deployctl logs ${organisation}/${app}`),
  ];
}

function addressLines({ url, api }: AppDetails): DetailLine[] {
  const offered =
    api.kind === "openai"
      ? `OpenAI's, under /v1, model ${shownModel(api.model)}`
      : "its own; it cannot chat";
  return [line("URL", url), line("API", offered)];
}

function configLines({ revision }: AppDetails): DetailLine[] {
  if (revision === undefined) return [];
  const { exposedPort, healthPath, limits, hardware, environment, secretNames } = revision.config;
  const startup = formatMilliseconds(limits.startupTimeoutMs);
  const { machineType = "any machine", gpuCount, alternatives = [] } = hardware;
  const types = [machineType, ...alternatives.map((choice) => choice.machineType)];
  return [
    line("Startup", `port ${exposedPort}, ready at ${healthPath}, within ${startup}`),
    line("Hardware", `${types.join(", else ")}, ${gpuCount} GPUs`),
    line("Variables", Object.keys(environment).join(", ") || "none"),
    line("Secrets", secretNames.join(", ") || "none"),
  ];
}

function revisionLine(
  { revision, state, createdAt, isPinned, reason, message }: RevisionDocument,
  activeRevision: string | undefined,
  now: number,
): DetailLine {
  const parts = [
    revision === activeRevision ? "active" : state.toLowerCase(),
    formatRelativeTime(createdAt, now),
    isPinned ? "pinned" : "",
    reason ?? message ?? "",
  ];
  return line(shortRevision(revision) ?? "", parts.filter(Boolean).join(", "));
}

function section(title: string): DetailLine[] {
  return [line("", ""), { label: title, text: undefined }];
}

function line(label: string, text: string): DetailLine {
  return { label, text };
}

// The figures that --verbose prints after an answer, in the words of Ollama's command line.
import { formatGoDuration } from "../base/time-format.ts";
import type { AnswerStatistics } from "../client/chat-events.ts";

const labelWidth = 22;

/** Fields that are 0 are left out. */
export function formatStatistics(statistics: AnswerStatistics): string {
  const { promptTokens, cachedTokens, completionTokens } = statistics;
  const { totalMs, loadMs, promptMs, completionMs } = statistics;
  const computed = promptTokens - cachedTokens;
  const rows: Array<[label: string, value: string, show: boolean]> = [
    ["total duration", formatGoDuration(totalMs), totalMs > 0],
    ["load duration", formatGoDuration(loadMs), loadMs > 0],
    ["prompt eval count", `${promptTokens} token(s)`, promptTokens > 0],
    ["prompt cached count", `${cachedTokens} token(s)`, cachedTokens > 0],
    ["prompt eval duration", formatGoDuration(promptMs), promptMs > 0],
    ["prompt eval rate", rate(computed, promptMs), promptMs > 0 && computed > 0],
    ["eval count", `${completionTokens} token(s)`, completionTokens > 0],
    ["eval duration", formatGoDuration(completionMs), completionMs > 0],
    // The first token comes with the prompt; the others take the time.
    ["eval rate", rate(completionTokens - 1, completionMs), completionMs > 0],
  ];
  return rows
    .filter(([, , show]) => show)
    .map(([label, value]) => `${`${label}:`.padEnd(labelWidth)}${value}\n`)
    .join("");
}

function rate(tokens: number, milliseconds: number): string {
  return `${((tokens / milliseconds) * 1000).toFixed(2)} tokens/s`;
}

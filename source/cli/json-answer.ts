// run --json: one answer as one JSON document, or with --stream each of its events on a line.
import type { AnswerStatistics } from "../client/chat-events.ts";
import { type OneShot, whileAnswering } from "./one-shot.ts";

/** Prints nothing when the answer fails: a program checks the exit code and standard error. */
export async function printJsonAnswer(question: OneShot, isStream: boolean): Promise<number> {
  return await whileAnswering(question, async (events, progress) => {
    let text = "";
    let thinking = "";
    const toolCalls: object[] = [];
    let statistics: AnswerStatistics | undefined;
    for await (const event of events) {
      if (isStream) process.stdout.write(`${JSON.stringify(event)}\n`);
      if (event.type === "text") text += event.text;
      else if (event.type === "thinking") thinking += event.text;
      else if (event.type === "done") statistics = event.statistics;
      else if (event.type === "tool-call") {
        toolCalls.push({ name: event.name, arguments: event.arguments });
      } else if (!isStream) progress.show(event, question.model);
    }
    if (isStream) return statistics;
    const document = {
      model: question.model,
      text,
      ...(thinking !== "" && { thinking }),
      ...(toolCalls.length > 0 && { toolCalls }),
      ...statistics,
    };
    process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
    return statistics;
  });
}

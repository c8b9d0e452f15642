// Rounds for templates without `.Messages`, which run once for each question and its answer.
import type { Conversation } from "../prompt-template.ts";
import { joinMessages, type TemplateData, thinkData } from "./conversation-values.ts";
import { TemplateText } from "./template-text.ts";

/** Data of one run of the template. */
interface Round {
  System: TemplateText;
  Prompt: TemplateText;
  Response: TemplateText;
}

/**
 * Returns the data of each run; the model's answer starts in the last one. A round ends before a system
 * text that follows anything else, and before a question that follows an answer. Such templates have no
 * place for tools and tool results.
 */
export function roundsData(conversation: Conversation): TemplateData[] {
  const rounds: Round[] = [];
  let round = emptyRound();
  const begin = () => {
    rounds.push(round);
    round = emptyRound();
  };
  for (const { role, content } of joinMessages(conversation)) {
    if (role === "system") {
      if (isText(round.Prompt) || isText(round.Response)) begin();
      round.System = content;
    } else if (role === "user") {
      if (isText(round.Response)) begin();
      round.Prompt = content;
    } else if (role === "assistant") {
      round.Response = content;
    }
  }
  return [...rounds, round].map((each) => ({ ...each, ...thinkData(conversation) }));
}

function emptyRound(): Round {
  return { System: TemplateText.empty, Prompt: TemplateText.empty, Response: TemplateText.empty };
}

function isText(text: TemplateText): boolean {
  return text.pieces.length > 0;
}

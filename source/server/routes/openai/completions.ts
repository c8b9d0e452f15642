// POST /v1/completions
import type { FastifyInstance } from "fastify";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { clientSignal, findModel, type ReadingRules } from "../../run-request.ts";
import { CompletionChoice, type CompletionPiece, joinPieces } from "./completion-choice.ts";
import { CompletionBody, type PromptRequest, toPromptRequests } from "./completion-prompts.ts";
import { replyHead, usageOf } from "./reply-fields.ts";
import { type RunChoices, repeatWithSeeds, runChoices } from "./run-choices.ts";
import { streamChoices } from "./stream-choices.ts";

export function registerCompletions(app: FastifyInstance, dependencies: ServerDependencies): void {
  app.post<{ Body: CompletionBody }>(
    "/completions",
    { schema: { body: CompletionBody } },
    async (request, reply) => {
      const { body } = request;
      const { n = 1, logprobs: topLogprobs, stream_options: options } = body;
      const { model, rules } = await findModel(dependencies, reply, body);
      const prompts = toPromptRequests(body, rules, model.facts.vocabularySize);
      const requests = prompts.flatMap(({ canonical }) => repeatWithSeeds(canonical, n, model));
      const signal = clientSignal(reply);
      const { scheduler } = dependencies;
      const texts =
        body.echo === true ? await echoesOf(prompts, { model, rules, scheduler, signal }) : [];
      const choices = requests.map((_, index) => {
        const echo = texts[Math.floor(index / n)] ?? "";
        return new CompletionChoice({ index, echo, topLogprobs });
      });
      const run: RunChoices = (take) =>
        runChoices(dependencies, reply, requests, { model, signal }, take);
      const head = replyHead("cmpl", "text_completion", body.model);
      if (body.stream === true) {
        return await streamChoices(reply, signal, run, {
          head,
          chunksOf: (event, choice) =>
            (choices[choice]?.take(event) ?? []).map((piece) => ({ choices: [piece] })),
          usage: options?.include_usage === true ? () => usageOf(choices, n) : undefined,
        });
      }
      const pieces: CompletionPiece[][] = choices.map(() => []);
      await run((event, choice) => {
        pieces[choice]?.push(...(choices[choice]?.take(event) ?? []));
      });
      return { ...head, choices: pieces.map(joinPieces), usage: usageOf(choices, n) };
    },
  );
}

/** Prompts as text, also those sent as tokens. */
async function echoesOf(
  prompts: readonly PromptRequest[],
  use: Pick<ServerDependencies, "scheduler"> & {
    model: ResolvedModel;
    rules: ReadingRules;
    signal: AbortSignal;
  },
): Promise<string[]> {
  const { model, rules, scheduler, signal } = use;
  const texts: string[] = [];
  for (const { prompt, canonical } of prompts) {
    if (typeof prompt === "string") texts.push(prompt);
    else {
      const request = { ...canonical, onWarning: rules.warn };
      const said = await scheduler.call("detokenize", { tokens: prompt }, request, model, signal);
      texts.push(said.text);
    }
  }
  return texts;
}

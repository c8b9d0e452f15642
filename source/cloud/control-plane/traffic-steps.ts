// Automatic steps of a split: the candidate gets more traffic, or none if it answers with more errors.
import { describeError } from "../../base/product-error.ts";
import type { AnswerFigures } from "../metrics/usage-figures.ts";
import { type AppRecord, appName } from "../state/app-records.ts";
import { failuresUntilFailed } from "./back-off.ts";
import { type ControlContext, candidateRevision } from "./control-context.ts";
import { type TrafficCommands, wholePlan } from "./traffic-commands.ts";
import { changeShare } from "./traffic-split.ts";

export class TrafficSteps {
  readonly #context: ControlContext;
  readonly #commands: TrafficCommands;

  constructor(context: ControlContext, commands: TrafficCommands) {
    this.#context = context;
    this.#commands = commands;
  }

  /** Takes the step that is due, if any; called in each pass. */
  async evaluate(app: AppRecord): Promise<void> {
    const { traffic } = app;
    if (traffic?.plan === undefined) return;
    // A deployment or a promotion decides by itself.
    if (app.desired !== "active" || app.rollout !== undefined) return;
    const { plan, revision, percent, since } = traffic;
    const { stepMs, minRequests } = wholePlan(plan);
    const reason = this.#reasonAgainst(app, revision, minRequests);
    if (reason !== undefined) return await this.#commands.abort(app, reason);
    const { clock, splitAnswers } = this.#context;
    if (clock.wallMs() < since + stepMs) return;
    if (splitAnswers.of(app, revision).requests < minRequests) return;
    const next = plan.percents.find((each) => each > percent);
    if (next === undefined) return;
    if (next < 100) return changeShare(this.#context, app, { revision, percent: next, plan });
    this.#promote(app);
  }

  /** Returns the reason why the candidate must get no more traffic, as a sentence. */
  #reasonAgainst(app: AppRecord, revision: string, minRequests: number): string | undefined {
    const { splitAnswers } = this.#context;
    const record = candidateRevision(this.#context, app);
    if (record === undefined) return `${revision} is gone.`;
    if (record.failures >= failuresUntilFailed) {
      return `the replicas of ${revision} exited ${record.failures} times in a row.`;
    }
    const fresh = splitAnswers.of(app, revision);
    const old = splitAnswers.of(app, app.activeRevision ?? "");
    if (fresh.requests < minRequests || shareOf(fresh) <= shareOf(old)) return undefined;
    return `${revision} failed ${countText(fresh)}, ${app.activeRevision} ${countText(old)}.`;
  }

  #promote(app: AppRecord): void {
    const { log } = this.#context;
    const feed = this.#commands.promote(app);
    const follow = async () => {
      for await (const event of feed.read()) {
        if (event.kind === "failed") log(`${appName(app)} is not promoted: ${event.sentence}`);
      }
    };
    follow().catch((error: unknown) => log(`${appName(app)}: ${describeError(error)}`));
  }
}

/** Returns the share of the requests that failed. */
function shareOf({ requests, errors }: AnswerFigures): number {
  return requests === 0 ? 0 : errors / requests;
}

function countText({ requests, errors }: AnswerFigures): string {
  return `${errors} of ${requests} ${requests === 1 ? "request" : "requests"}`;
}

// Every command of the deploy screen: its keys, when it is valid, and the action behind it.

import { type CommandRow, commandRow, type RowRest } from "../../frame/command-table.ts";
import { newVariable } from "./answers.ts";
import type { TextActions } from "./answers-text.ts";
import { type DeployState, firstFault, revisionBefore, type StepId } from "./deploy-state.ts";
import type { DraftActions } from "./draft-actions.ts";
import type { Item } from "./form.ts";
import { isOngoing } from "./launch.ts";
import type { LaunchActions } from "./launch-actions.ts";
import { pathFields, type StepActions } from "./step-actions.ts";
import { isAdvanced, wrongAnswer } from "./steps.ts";

/** Context of the commands, and the facts that decide which are valid. */
export interface DeployKeys {
  readonly state: DeployState;
  /** The focused field. */
  readonly item: Item | undefined;
  readonly steps: StepActions;
  readonly launch: LaunchActions;
  readonly drafts: DraftActions;
  readonly text: TextActions;
}

type Row = CommandRow<DeployKeys>;
type When = Row["when"];

const isTyping: When = ({ item }) => item?.kind === "text";
const isReading: When = (situation) => !isTyping(situation);
/** Steps whose facts can be reloaded without a failure. */
const repeatable: ReadonlySet<StepId> = new Set(["found", "preflight", "review"]);
const isPath: When = ({ item }) => pathFields.has(item?.id ?? "");
const isLaunched: When = ({ state }) => state.step === "launch";
const launchIs =
  (...wanted: string[]): When =>
  ({ state }) =>
    state.step === "launch" && state.launch !== undefined && wanted.includes(state.launch.state);
const hasFailed: When = launchIs("failed", "ended");
const isLive: When = launchIs("live");
const canRetry: When = (situation) => {
  const { step, known } = situation.state;
  const isRepeatable = repeatable.has(step) || hasFailed(situation);
  return (
    isReading(situation) &&
    (isRepeatable || Object.values(known).some(({ kind }) => kind === "failed"))
  );
};
const canRollBack: When = ({ state }) =>
  state.step === "launch" && !isOngoing(state.launch) && revisionBefore(state) !== undefined;
const hasFaults: When = ({ state }) =>
  (state.step === "preflight" || state.step === "review") &&
  (state.known.checked.kind === "failed" ||
    firstFault(state) !== undefined ||
    wrongAnswer(state) !== undefined);
const isBeforeReview: When = ({ state }) => state.step !== "review" && state.step !== "launch";
const scrolling = (run: Row["run"], when: When = () => true): RowRest<DeployKeys> => {
  return { group: "Scrolling", when, run };
};
const up: Row["run"] = ({ steps }) => steps.move(-1);
const down: Row["run"] = ({ steps }) => steps.move(1);

const command = commandRow<DeployKeys>("deploy", "Deploy");

export const deployCommands: readonly Row[] = [
  command("next", ["Enter"], "Go to the next step, or launch from the review", {
    hint: ({ state, item }) => {
      if (item?.id === newVariable && (state.given[newVariable] ?? "") !== "") return "add";
      if (state.step === "review") return "launch";
      return isAdvanced(state.step) ? "review" : "next";
    },
    when: ({ state }) => state.step !== "launch",
    run: ({ steps }) => steps.next(),
  }),
  command("review", ["Alt+G"], "Go to the review", {
    hint: ({ state }) => (isAdvanced(state.step) ? undefined : "review"),
    when: (situation) => isBeforeReview(situation) && isTyping(situation),
    run: ({ steps }) => steps.review(),
  }),
  command("reviewByLetter", ["g"], "Go to the review, outside a text field", {
    hint: ({ state }) => (isAdvanced(state.step) ? undefined : "review"),
    when: (situation) => isBeforeReview(situation) && isReading(situation),
    run: ({ steps }) => steps.review(),
  }),
  command(
    "advanced",
    ["a"],
    "Open advanced settings: server, variables, resources, scaling, timeouts",
    {
      hint: "advanced",
      when: ({ state }) => state.step === "review",
      run: ({ steps }) => steps.advanced(),
    },
  ),
  command("chat", ["Enter"], "Chat with the new app", {
    hint: "chat",
    when: isLive,
    run: ({ launch }) => launch.chat(),
  }),
  command("test", ["t"], "Send a test request to the new app", {
    hint: "test request",
    when: isLive,
    run: ({ launch }) => launch.test(),
  }),
  command("key", ["n"], "Create a key for the new app", {
    hint: "new key",
    when: isLive,
    run: ({ launch }) => launch.createKey(),
  }),
  command("retry", ["r"], "Retry: read, check or launch again", {
    hint: "retry",
    when: canRetry,
    run: ({ steps }) => steps.retry(),
  }),
  command("edit", ["e"], "Return to the answers and read the script again", {
    hint: "edit",
    when: ({ state: { step, launch } }) =>
      step === "launch" && !(launch?.isEphemeral === true && isOngoing(launch)),
    run: ({ steps }) => steps.editAnswers(),
  }),
  command("rollBack", ["u"], "Roll back to the previous revision", {
    hint: "roll back",
    when: canRollBack,
    run: ({ launch }) => launch.rollBack(),
  }),
  command("stop", ["x"], "Stop the one-time run", {
    hint: "stop",
    when: ({ state: { step, launch } }) =>
      step === "launch" && launch?.isEphemeral === true && isOngoing(launch),
    run: ({ launch }) => launch.stop(),
  }),
  command("fix", ["f"], "Go to the answer that fixes the first problem", {
    hint: "fix",
    when: hasFaults,
    run: ({ steps }) => steps.fix(),
  }),
  command("copy", ["y"], "Copy the command, the key, or an example call", {
    hint: "copy",
    when: (situation) => situation.state.step === "review" || isLive(situation),
    run: ({ launch }) => launch.copy(),
  }),
  command("complete", ["Tab"], "Complete the path, or go to the next field", {
    hint: (situation) => (isPath(situation) ? "complete" : undefined),
    when: ({ item }) => item !== undefined,
    run: ({ steps }) => steps.complete(),
  }),
  command("previous", ["Left"], "Previous option", {
    when: ({ item }) => item?.kind === "choice",
    run: ({ steps }) => steps.choose(-1),
  }),
  command("other", ["Right", "Space"], "Next option", {
    hint: "change",
    when: ({ item }) => item?.kind === "choice",
    run: ({ steps }) => steps.choose(1),
  }),
  command("up", ["Up"], "Previous field or option", scrolling(up)),
  command("down", ["Down"], "Next field or option", scrolling(down)),
  command("upByLetter", ["k"], "Up, outside a text field", scrolling(up, isReading)),
  command("downByLetter", ["j"], "Down, outside a text field", scrolling(down, isReading)),
  command("back", ["Esc", "Shift+Tab"], "Go back one step; answers are kept", {
    hint: "back",
    when: ({ state: { step, launch } }) =>
      step !== "script" && !(step === "launch" && isOngoing(launch)),
    run: ({ steps }) => steps.back(),
  }),
  command("log", ["Ctrl+O"], "Open the whole log in $PAGER", {
    hint: "log",
    when: isLaunched,
    run: ({ launch }) => launch.showLog(),
  }),
  command("text", ["Ctrl+E"], "Edit all answers in $EDITOR", {
    hint: "as text",
    when: ({ state }) => state.step !== "launch",
    run: ({ text }) => text.edit(),
  }),
  command("save", ["Ctrl+S"], "Save the draft (also saved at each step)", {
    hint: "save",
    when: ({ state }) => state.step !== "launch",
    run: ({ drafts }) => drafts.save(),
  }),
  command("drafts", ["Ctrl+R"], "Resume another draft", {
    slash: ["/drafts"],
    when: ({ state }) => !isOngoing(state.launch),
    run: ({ steps }) => steps.otherDraft(),
  }),
  command("new", ["Ctrl+N"], "Start another deployment", {
    hint: ({ state }) => (state.step === "launch" ? "new" : undefined),
    when: ({ state }) => !isOngoing(state.launch),
    run: ({ steps }) => steps.startOver(),
  }),
  command(
    "pageUp",
    ["PgUp"],
    "Page up",
    scrolling(({ steps }) => steps.scroll(-1)),
  ),
  command(
    "pageDown",
    ["PgDn"],
    "Page down",
    scrolling(({ steps }) => steps.scroll(1)),
  ),
];

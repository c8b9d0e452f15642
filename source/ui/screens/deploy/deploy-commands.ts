// Every command of the deploy screen: its keys, when it is valid, and the action behind it.

import { type CommandRow, commandRow, scrolling } from "../../frame/command-table.ts";
import { newVariable } from "./answers.ts";
import { editAsText } from "./answers-text.ts";
import { firstFault, revisionBefore, type StepId } from "./deploy-state.ts";
import { isOngoing } from "./launch.ts";
import * as form from "./step-actions.ts";
import { isAdvanced, wrongAnswer } from "./steps.ts";

type Row = CommandRow<form.DeployContext>;
type When = Row["when"];

/** Steps whose facts can be reloaded without a failure. */
const repeatable: ReadonlySet<StepId> = new Set(["found", "preflight", "review"]);
const isTyping: When = ({ item }) => item?.kind === "text";
const isReading: When = (context) => !isTyping(context);
const onChoice: When = ({ item }) => item?.kind === "choice";
const onReview: When = ({ state }) => state.step === "review";
const onLaunch: When = ({ state }) => state.step === "launch";
const isBeforeLaunch: When = (context) => !onLaunch(context);
const isBeforeReview: When = (context) => isBeforeLaunch(context) && !onReview(context);
const isIdle: When = ({ state }) => !isOngoing(state.launch);
const isRunning: When = (context) =>
  onLaunch(context) && context.state.launch?.isEphemeral === true && !isIdle(context);
const isLive: When = (context) => onLaunch(context) && context.state.launch?.state === "live";
const canChat: When = (context) =>
  isLive(context) && context.state.launch?.result?.api.kind === "openai";
const hasEnded: When = (context) =>
  onLaunch(context) && ["failed", "ended"].includes(context.state.launch?.state ?? "");
const canRetry: When = (context) => {
  const { step, known } = context.state;
  const hasFailed = Object.values(known).some((fact) => fact?.kind === "failed");
  return isReading(context) && (repeatable.has(step) || hasEnded(context) || hasFailed);
};
const canRollBack: When = (context) =>
  onLaunch(context) && isIdle(context) && revisionBefore(context.state) !== undefined;
const hasFaults: When = ({ state }) =>
  (state.step === "preflight" || state.step === "review") &&
  (state.known.checked?.kind === "failed" ||
    firstFault(state) !== undefined ||
    wrongAnswer(state) !== undefined);
const reviewHint: Row["hint"] = ({ state }) => (isAdvanced(state.step) ? undefined : "review");

const command = commandRow<form.DeployContext>("deploy", "Deploy");

export const deployCommands: readonly Row[] = [
  command("next", ["Enter"], "Go to the next step, or launch from the review", {
    hint: (context) => {
      const { item, state } = context;
      if (item?.id === newVariable && item.value !== "") return "add";
      if (onReview(context)) return "launch";
      return isAdvanced(state.step) ? "review" : "next";
    },
    when: isBeforeLaunch,
    run: form.next,
  }),
  command("review", ["Alt+G"], "Go to the review", {
    hint: reviewHint,
    when: (context) => isBeforeReview(context) && isTyping(context),
    run: form.review,
  }),
  command("reviewByLetter", ["g"], "Go to the review, outside a text field", {
    hint: reviewHint,
    when: (context) => isBeforeReview(context) && isReading(context),
    run: form.review,
  }),
  command(
    "advanced",
    ["a"],
    "Open advanced settings: server, variables, resources, scaling, timeouts",
    { hint: "advanced", when: onReview, run: form.advanced },
  ),
  command("chat", ["Enter"], "Chat with the new app", {
    hint: "chat",
    when: canChat,
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
    run: form.retry,
  }),
  command("edit", ["e"], "Return to the answers and read the script again", {
    hint: "edit",
    when: (context) => onLaunch(context) && !isRunning(context),
    run: form.editAnswers,
  }),
  command("rollBack", ["u"], "Roll back to the previous revision", {
    hint: "roll back",
    when: canRollBack,
    run: ({ launch }) => launch.rollBack(),
  }),
  command("stop", ["x"], "Stop the one-time run", {
    hint: "stop",
    when: isRunning,
    run: ({ launch }) => launch.stop(),
  }),
  command("fix", ["f"], "Go to the answer that fixes the first problem", {
    hint: "fix",
    when: hasFaults,
    run: form.fix,
  }),
  command("copy", ["y"], "Copy the command, the key, or an example call", {
    hint: "copy",
    when: (context) => onReview(context) || isLive(context),
    run: ({ launch }) => launch.copy(),
  }),
  command("complete", ["Tab"], "Complete the path, or go to the next field", {
    hint: ({ item }) => (form.pathFields.has(item?.id ?? "") ? "complete" : undefined),
    when: ({ item }) => item !== undefined,
    run: form.complete,
  }),
  command("previous", ["Left"], "Previous option", {
    when: onChoice,
    run: (context) => form.chooseOption(context, -1),
  }),
  command("other", ["Right", "Space"], "Next option", {
    hint: "change",
    when: onChoice,
    run: (context) => form.chooseOption(context, 1),
  }),
  command("up", ["Up"], "Previous field or option", scrolling(form.move, -1)),
  command("down", ["Down"], "Next field or option", scrolling(form.move, 1)),
  command("upByLetter", ["k"], "Up, outside a text field", scrolling(form.move, -1, isReading)),
  command("downByLetter", ["j"], "Down, outside a text field", scrolling(form.move, 1, isReading)),
  command("back", ["Esc", "Shift+Tab"], "Go back one step; answers are kept", {
    hint: "back",
    when: (context) =>
      context.state.step !== "script" && (isBeforeLaunch(context) || isIdle(context)),
    run: form.back,
  }),
  command("log", ["Ctrl+O"], "Open the whole log in $PAGER", {
    hint: "log",
    when: onLaunch,
    run: ({ launch }) => launch.showLog(),
  }),
  command("text", ["Ctrl+E"], "Edit all answers in $EDITOR", {
    hint: "as text",
    when: isBeforeLaunch,
    run: editAsText,
  }),
  command("save", ["Ctrl+S"], "Save the draft (also saved at each step)", {
    hint: "save",
    when: isBeforeLaunch,
    run: ({ drafts }) => drafts.save(),
  }),
  command("drafts", ["Ctrl+R"], "Resume another draft", {
    slash: ["/drafts"],
    when: isIdle,
    run: form.chooseDraft,
  }),
  command("new", ["Ctrl+N"], "Start another deployment", {
    hint: (context) => (onLaunch(context) ? "new" : undefined),
    when: isIdle,
    run: form.startOver,
  }),
  command("pageUp", ["PgUp"], "Page up", scrolling(form.scroll, -1)),
  command("pageDown", ["PgDn"], "Page down", scrolling(form.scroll, 1)),
];

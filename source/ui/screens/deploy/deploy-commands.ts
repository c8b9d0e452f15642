// Every command of the deploy screen: its keys, when it is valid, and the action behind it.

import type { BoundCommand, CommandFacts } from "../../frame/screen.ts";
import { type DeployState, revisionBefore } from "./deploy-state.ts";
import type { DraftActions } from "./draft-actions.ts";
import type { Item } from "./form.ts";
import { isOngoing } from "./launch.ts";
import type { LaunchActions } from "./launch-actions.ts";
import { newVariable } from "./settings-pages.ts";
import type { StepActions } from "./step-actions.ts";
import type { TextActions } from "./text-actions.ts";

/** The parts of the screen that do what a command says. */
export interface DeployActions {
  readonly steps: StepActions;
  readonly launch: LaunchActions;
  readonly drafts: DraftActions;
  readonly text: TextActions;
}

/** Facts that decide which keys are valid now. */
export interface DeploySituation {
  readonly state: DeployState;
  /** The field that has the keys. */
  readonly item: Item | undefined;
}

interface DeployCommand extends CommandFacts {
  readonly hint?: string | ((situation: DeploySituation) => string | undefined);
  readonly when: (situation: DeploySituation) => boolean;
  readonly run: (actions: DeployActions) => ReturnType<BoundCommand["run"]>;
}

type When = DeployCommand["when"];

const group = "Deploy";
const scrolling = "Scrolling";

const isTyping: When = ({ item }) => item?.kind === "text";
const isReading: When = (situation) => !isTyping(situation);
const isPath: When = ({ item }) => item?.id === "script" || item?.id === "file";
const isLaunched: When = ({ state }) => state.step === "launch";
const launchIs =
  (...wanted: string[]): When =>
  ({ state }) =>
    state.step === "launch" && state.launch !== undefined && wanted.includes(state.launch.state);
const hasFailed: When = launchIs("failed", "ended");
const isLive: When = launchIs("live");
const canRetry: When = (situation) => {
  const { step, known } = situation.state;
  const isRepeatable = step === "found" || step === "preflight" || hasFailed(situation);
  return (
    isReading(situation) &&
    (isRepeatable || Object.values(known).some(({ kind }) => kind === "failed"))
  );
};
const canRollBack: When = ({ state }) =>
  state.step === "launch" && !isOngoing(state.launch) && revisionBefore(state) !== undefined;
const hasFaults: When = ({ state: { step, known } }) =>
  step === "preflight" &&
  (known.checked.kind === "failed" ||
    (known.checked.kind === "loaded" &&
      known.checked.value.findings.some(({ kind }) => kind === "fault")));

const table: readonly DeployCommand[] = [
  {
    id: "deploy.next",
    title: "The next step; at the review, launch",
    group,
    keys: ["Enter"],
    hint: ({ state, item }) => {
      if (item?.id === newVariable && (state.given[newVariable] ?? "") !== "") return "add";
      return state.step === "review" ? "launch" : "next";
    },
    when: ({ state }) => state.step !== "launch",
    run: ({ steps }) => steps.next(),
  },
  {
    id: "deploy.chat",
    title: "Chat with the new app",
    group,
    keys: ["Enter"],
    hint: "chat",
    when: isLive,
    run: ({ launch }) => launch.chat(),
  },
  {
    id: "deploy.test",
    title: "Ask the new app for its models and one answer",
    group,
    keys: ["t"],
    hint: "test request",
    when: isLive,
    run: ({ launch }) => launch.test(),
  },
  {
    id: "deploy.key",
    title: "Make a key for the new app",
    group,
    keys: ["n"],
    hint: "new key",
    when: isLive,
    run: ({ launch }) => launch.createKey(),
  },
  {
    id: "deploy.retry",
    title: "Read, check or launch again",
    group,
    keys: ["r"],
    hint: ({ state }) => (state.step === "launch" ? "retry" : "again"),
    when: canRetry,
    run: ({ steps }) => steps.retry(),
  },
  {
    id: "deploy.edit",
    title: "Back to the answers, the script read anew",
    group,
    keys: ["e"],
    hint: "edit",
    when: ({ state: { step, launch } }) =>
      step === "launch" && !(launch?.isEphemeral === true && isOngoing(launch)),
    run: ({ steps }) => steps.editAnswers(),
  },
  {
    id: "deploy.rollBack",
    title: "Back to the revision that was active before",
    group,
    keys: ["u"],
    hint: "roll back",
    when: canRollBack,
    run: ({ launch }) => launch.rollBack(),
  },
  {
    id: "deploy.stop",
    title: "Stop what is run once",
    group,
    keys: ["x"],
    hint: "stop",
    when: ({ state: { step, launch } }) =>
      step === "launch" && launch?.isEphemeral === true && isOngoing(launch),
    run: ({ launch }) => launch.stop(),
  },
  {
    id: "deploy.fix",
    title: "To the step that mends the first fault",
    group,
    keys: ["f"],
    hint: "fix",
    when: hasFaults,
    run: ({ steps }) => steps.fix(),
  },
  {
    id: "deploy.copy",
    title: "Copy the command, the key, or how to call the app",
    group,
    keys: ["y"],
    hint: "copy",
    when: (situation) => situation.state.step === "review" || isLive(situation),
    run: ({ launch }) => launch.copy(),
  },
  {
    id: "deploy.complete",
    title: "Complete the path; elsewhere, the next field",
    group,
    keys: ["Tab"],
    hint: (situation) => (isPath(situation) ? "complete" : undefined),
    when: ({ item }) => item !== undefined,
    run: ({ steps }) => steps.complete(),
  },
  {
    id: "deploy.previous",
    title: "Option to the left",
    group,
    keys: ["Left"],
    when: ({ item }) => item?.kind === "choice",
    run: ({ steps }) => steps.choose(-1),
  },
  {
    id: "deploy.other",
    title: "Option to the right",
    group,
    keys: ["Right", "Space"],
    hint: "other",
    when: ({ item }) => item?.kind === "choice",
    run: ({ steps }) => steps.choose(1),
  },
  move("deploy.up", "Field above, or option", ["Up"], () => true, -1),
  move("deploy.down", "Field below, or option", ["Down"], () => true, 1),
  move("deploy.upByLetter", "Up, while nothing is typed", ["k"], isReading, -1),
  move("deploy.downByLetter", "Down, while nothing is typed", ["j"], isReading, 1),
  {
    id: "deploy.back",
    title: "One step back; the answers stay",
    group,
    keys: ["Esc", "Shift+Tab"],
    hint: "back",
    when: ({ state: { step, launch } }) =>
      step !== "script" && !(step === "launch" && isOngoing(launch)),
    run: ({ steps }) => steps.back(),
  },
  {
    id: "deploy.log",
    title: "The whole log in the pager",
    group,
    keys: ["Ctrl+O"],
    hint: "log",
    when: isLaunched,
    run: ({ launch }) => launch.showLog(),
  },
  {
    id: "deploy.text",
    title: "All answers as one text, in $EDITOR",
    group,
    keys: ["Ctrl+E"],
    hint: "as text",
    when: ({ state }) => state.step !== "launch",
    run: ({ text }) => text.edit(),
  },
  {
    id: "deploy.save",
    title: "Save the draft; it is saved at each step, too",
    group,
    keys: ["Ctrl+S"],
    hint: "save",
    when: ({ state }) => state.step !== "launch",
    run: ({ drafts }) => drafts.save(),
  },
  {
    id: "deploy.drafts",
    title: "Go on with another draft",
    group,
    keys: ["Ctrl+R"],
    slash: ["/drafts"],
    when: ({ state }) => !isOngoing(state.launch),
    run: ({ steps }) => steps.otherDraft(),
  },
  {
    id: "deploy.new",
    title: "Another deployment, from the beginning",
    group,
    keys: ["Ctrl+N"],
    hint: ({ state }) => (state.step === "launch" ? "another" : undefined),
    when: ({ state }) => !isOngoing(state.launch),
    run: ({ steps }) => steps.startOver(),
  },
  scroll("deploy.pageUp", "Page up", ["PgUp"], -1),
  scroll("deploy.pageDown", "Page down", ["PgDn"], 1),
];

/** For the documentation. */
export const deployCommandFacts: readonly CommandFacts[] = table;

/** The table bound to a screen. */
export function deployCommands(
  actions: DeployActions,
  situation: () => DeploySituation,
): BoundCommand[] {
  return table.map(({ hint, when, run, ...facts }) => ({
    ...facts,
    hint: () => (typeof hint === "function" ? hint(situation()) : hint),
    isValid: () => when(situation()),
    run: () => run(actions),
  }));
}

function move(
  id: string,
  title: string,
  keys: readonly string[],
  when: When,
  distance: -1 | 1,
): DeployCommand {
  return { id, title, group: scrolling, keys, when, run: ({ steps }) => steps.move(distance) };
}

function scroll(
  id: string,
  title: string,
  keys: readonly string[],
  direction: -1 | 1,
): DeployCommand {
  const run: DeployCommand["run"] = ({ steps }) => steps.scroll(direction);
  return { id, title, group: scrolling, keys, when: () => true, run };
}

// Every command of the deploy screen: its keys, when it is valid, and what it asks the screen to do.

import type { BoundCommand, CommandFacts } from "../../frame/screen.ts";
import { type DeployState, revisionBefore } from "./deploy-state.ts";
import type { Item } from "./form.ts";
import { isOngoing } from "./launch.ts";
import { newVariable } from "./pages-of-settings.ts";

type Outcome = string | undefined | Promise<string | undefined>;

/** What the commands ask of the screen. */
export interface DeployActions {
  next(): Outcome;
  back(): Outcome;
  move(distance: -1 | 1): void;
  choose(distance: -1 | 1): void;
  complete(): Outcome;
  scroll(direction: -1 | 1): void;
  editText(): Outcome;
  saveDraft(): Outcome;
  otherDraft(): Outcome;
  startOver(): Outcome;
  retry(): Outcome;
  mend(): void;
  copy(): Outcome;
  test(): Outcome;
  createKey(): Outcome;
  chat(): Outcome;
  rollBack(): Outcome;
  editAnswers(): Outcome;
  stop(): void;
  showLog(): Outcome;
}

/** What decides which keys are valid now. */
export interface DeploySituation {
  readonly state: DeployState;
  /** The field that has the keys. */
  readonly item: Item | undefined;
}

interface DeployCommand extends CommandFacts {
  readonly hint?: string | ((situation: DeploySituation) => string | undefined);
  readonly when: (situation: DeploySituation) => boolean;
  run(actions: DeployActions): Outcome;
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
    (known.checked.kind === "here" &&
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
    run: (actions) => actions.next(),
  },
  {
    id: "deploy.chat",
    title: "Chat with the new app",
    group,
    keys: ["Enter"],
    hint: "chat",
    when: isLive,
    run: (actions) => actions.chat(),
  },
  {
    id: "deploy.test",
    title: "Ask the new app for its models and one answer",
    group,
    keys: ["t"],
    hint: "test request",
    when: isLive,
    run: (actions) => actions.test(),
  },
  {
    id: "deploy.key",
    title: "Make a key for the new app",
    group,
    keys: ["n"],
    hint: "new key",
    when: isLive,
    run: (actions) => actions.createKey(),
  },
  {
    id: "deploy.retry",
    title: "Read, check or launch again",
    group,
    keys: ["r"],
    hint: ({ state }) => (state.step === "launch" ? "retry" : "again"),
    when: canRetry,
    run: (actions) => actions.retry(),
  },
  {
    id: "deploy.edit",
    title: "Back to the answers, the script read anew",
    group,
    keys: ["e"],
    hint: "edit",
    when: ({ state: { step, launch } }) =>
      step === "launch" && !(launch?.isEphemeral === true && isOngoing(launch)),
    run: (actions) => actions.editAnswers(),
  },
  {
    id: "deploy.rollBack",
    title: "Back to the revision that was active before",
    group,
    keys: ["u"],
    hint: "roll back",
    when: canRollBack,
    run: (actions) => actions.rollBack(),
  },
  {
    id: "deploy.stop",
    title: "Stop what is run once",
    group,
    keys: ["x"],
    hint: "stop",
    when: ({ state: { step, launch } }) =>
      step === "launch" && launch?.isEphemeral === true && isOngoing(launch),
    run: (actions) => done(() => actions.stop()),
  },
  {
    id: "deploy.mend",
    title: "To the step that mends the first fault",
    group,
    keys: ["f"],
    hint: "fix",
    when: hasFaults,
    run: (actions) => done(() => actions.mend()),
  },
  {
    id: "deploy.copy",
    title: "Copy the command, the key, or how to call the app",
    group,
    keys: ["y"],
    hint: "copy",
    when: (situation) => situation.state.step === "review" || isLive(situation),
    run: (actions) => actions.copy(),
  },
  {
    id: "deploy.complete",
    title: "Complete the path; elsewhere, the next field",
    group,
    keys: ["Tab"],
    hint: (situation) => (isPath(situation) ? "complete" : undefined),
    when: ({ item }) => item !== undefined,
    run: (actions) => actions.complete(),
  },
  {
    id: "deploy.previous",
    title: "Option to the left",
    group,
    keys: ["Left"],
    when: ({ item }) => item?.kind === "choice",
    run: (actions) => done(() => actions.choose(-1)),
  },
  {
    id: "deploy.other",
    title: "Option to the right",
    group,
    keys: ["Right", "Space"],
    hint: "other",
    when: ({ item }) => item?.kind === "choice",
    run: (actions) => done(() => actions.choose(1)),
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
    run: (actions) => actions.back(),
  },
  {
    id: "deploy.log",
    title: "The whole log in the pager",
    group,
    keys: ["Ctrl+O"],
    hint: "log",
    when: isLaunched,
    run: (actions) => actions.showLog(),
  },
  {
    id: "deploy.text",
    title: "All answers as one text, in $EDITOR",
    group,
    keys: ["Ctrl+E"],
    hint: "as text",
    when: ({ state }) => state.step !== "launch",
    run: (actions) => actions.editText(),
  },
  {
    id: "deploy.save",
    title: "Save the draft; it is saved at each step, too",
    group,
    keys: ["Ctrl+S"],
    hint: "save",
    when: ({ state }) => state.step !== "launch",
    run: (actions) => actions.saveDraft(),
  },
  {
    id: "deploy.drafts",
    title: "Go on with another draft",
    group,
    keys: ["Ctrl+R"],
    slash: ["/drafts"],
    when: ({ state }) => !isOngoing(state.launch),
    run: (actions) => actions.otherDraft(),
  },
  {
    id: "deploy.new",
    title: "Another deployment, from the beginning",
    group,
    keys: ["Ctrl+N"],
    hint: ({ state }) => (state.step === "launch" ? "another" : undefined),
    when: ({ state }) => !isOngoing(state.launch),
    run: (actions) => actions.startOver(),
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
  const run = (actions: DeployActions) => done(() => actions.move(distance));
  return { id, title, group: scrolling, keys, when, run };
}

function scroll(
  id: string,
  title: string,
  keys: readonly string[],
  direction: -1 | 1,
): DeployCommand {
  const run = (actions: DeployActions) => done(() => actions.scroll(direction));
  return { id, title, group: scrolling, keys, when: () => true, run };
}

function done(act: () => void): undefined {
  act();
  return undefined;
}

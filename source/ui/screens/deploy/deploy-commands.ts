// Every command of the deploy screen: its keys, when it is valid, and the action behind it.

import type { BoundCommand, CommandFacts } from "../../frame/screen.ts";
import type { TextActions } from "./answers-text.ts";
import { type DeployState, revisionBefore } from "./deploy-state.ts";
import type { DraftActions } from "./draft-actions.ts";
import type { Item } from "./form.ts";
import { isOngoing } from "./launch.ts";
import type { LaunchActions } from "./launch-actions.ts";
import { newVariable } from "./settings-pages.ts";
import type { StepActions } from "./step-actions.ts";

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
type Rest = Pick<DeployCommand, "when" | "run"> & Partial<DeployCommand>;

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

const always: When = () => true;
const group = "Scrolling";
const up: Rest = { group, when: always, run: ({ steps }) => steps.move(-1) };
const down: Rest = { group, when: always, run: ({ steps }) => steps.move(1) };

const table: readonly DeployCommand[] = [
  command("deploy.next", "The next step; at the review, launch", ["Enter"], {
    hint: ({ state, item }) => {
      if (item?.id === newVariable && (state.given[newVariable] ?? "") !== "") return "add";
      return state.step === "review" ? "launch" : "next";
    },
    when: ({ state }) => state.step !== "launch",
    run: ({ steps }) => steps.next(),
  }),
  command("deploy.chat", "Chat with the new app", ["Enter"], {
    hint: "chat",
    when: isLive,
    run: ({ launch }) => launch.chat(),
  }),
  command("deploy.test", "Ask the new app for its models and one answer", ["t"], {
    hint: "test request",
    when: isLive,
    run: ({ launch }) => launch.test(),
  }),
  command("deploy.key", "Make a key for the new app", ["n"], {
    hint: "new key",
    when: isLive,
    run: ({ launch }) => launch.createKey(),
  }),
  command("deploy.retry", "Read, check or launch again", ["r"], {
    hint: ({ state }) => (state.step === "launch" ? "retry" : "again"),
    when: canRetry,
    run: ({ steps }) => steps.retry(),
  }),
  command("deploy.edit", "Back to the answers, the script read anew", ["e"], {
    hint: "edit",
    when: ({ state: { step, launch } }) =>
      step === "launch" && !(launch?.isEphemeral === true && isOngoing(launch)),
    run: ({ steps }) => steps.editAnswers(),
  }),
  command("deploy.rollBack", "Back to the revision that was active before", ["u"], {
    hint: "roll back",
    when: canRollBack,
    run: ({ launch }) => launch.rollBack(),
  }),
  command("deploy.stop", "Stop what is run once", ["x"], {
    hint: "stop",
    when: ({ state: { step, launch } }) =>
      step === "launch" && launch?.isEphemeral === true && isOngoing(launch),
    run: ({ launch }) => launch.stop(),
  }),
  command("deploy.fix", "To the step that mends the first fault", ["f"], {
    hint: "fix",
    when: hasFaults,
    run: ({ steps }) => steps.fix(),
  }),
  command("deploy.copy", "Copy the command, the key, or how to call the app", ["y"], {
    hint: "copy",
    when: (situation) => situation.state.step === "review" || isLive(situation),
    run: ({ launch }) => launch.copy(),
  }),
  command("deploy.complete", "Complete the path; elsewhere, the next field", ["Tab"], {
    hint: (situation) => (isPath(situation) ? "complete" : undefined),
    when: ({ item }) => item !== undefined,
    run: ({ steps }) => steps.complete(),
  }),
  command("deploy.previous", "Option to the left", ["Left"], {
    when: ({ item }) => item?.kind === "choice",
    run: ({ steps }) => steps.choose(-1),
  }),
  command("deploy.other", "Option to the right", ["Right", "Space"], {
    hint: "other",
    when: ({ item }) => item?.kind === "choice",
    run: ({ steps }) => steps.choose(1),
  }),
  command("deploy.up", "Field above, or option", ["Up"], up),
  command("deploy.down", "Field below, or option", ["Down"], down),
  command("deploy.upByLetter", "Up, while nothing is typed", ["k"], { ...up, when: isReading }),
  command("deploy.downByLetter", "Down, while nothing is typed", ["j"], {
    ...down,
    when: isReading,
  }),
  command("deploy.back", "One step back; the answers stay", ["Esc", "Shift+Tab"], {
    hint: "back",
    when: ({ state: { step, launch } }) =>
      step !== "script" && !(step === "launch" && isOngoing(launch)),
    run: ({ steps }) => steps.back(),
  }),
  command("deploy.log", "The whole log in the pager", ["Ctrl+O"], {
    hint: "log",
    when: isLaunched,
    run: ({ launch }) => launch.showLog(),
  }),
  command("deploy.text", "All answers as one text, in $EDITOR", ["Ctrl+E"], {
    hint: "as text",
    when: ({ state }) => state.step !== "launch",
    run: ({ text }) => text.edit(),
  }),
  command("deploy.save", "Save the draft; it is saved at each step, too", ["Ctrl+S"], {
    hint: "save",
    when: ({ state }) => state.step !== "launch",
    run: ({ drafts }) => drafts.save(),
  }),
  command("deploy.drafts", "Go on with another draft", ["Ctrl+R"], {
    slash: ["/drafts"],
    when: ({ state }) => !isOngoing(state.launch),
    run: ({ steps }) => steps.otherDraft(),
  }),
  command("deploy.new", "Another deployment, from the beginning", ["Ctrl+N"], {
    hint: ({ state }) => (state.step === "launch" ? "another" : undefined),
    when: ({ state }) => !isOngoing(state.launch),
    run: ({ steps }) => steps.startOver(),
  }),
  command("deploy.pageUp", "Page up", ["PgUp"], {
    ...up,
    run: ({ steps }) => steps.scroll(-1),
  }),
  command("deploy.pageDown", "Page down", ["PgDn"], {
    ...down,
    run: ({ steps }) => steps.scroll(1),
  }),
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

function command(id: string, title: string, keys: readonly string[], rest: Rest): DeployCommand {
  return { id, title, group: "Deploy", keys, ...rest };
}

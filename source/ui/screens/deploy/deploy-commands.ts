// Every command of the deploy screen: its keys, when it is valid, and the action behind it.

import { bindCommands, type Command } from "../../frame/bind-commands.ts";
import type { BoundCommand, CommandFacts } from "../../frame/screen.ts";
import { newVariable } from "./answers.ts";
import type { TextActions } from "./answers-text.ts";
import { type DeployState, firstFault, revisionBefore } from "./deploy-state.ts";
import type { DraftActions } from "./draft-actions.ts";
import type { Item } from "./form.ts";
import { isOngoing } from "./launch.ts";
import type { LaunchActions } from "./launch-actions.ts";
import { pathFields, type StepActions } from "./step-actions.ts";

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

type DeployCommand = Command<DeploySituation, DeployActions>;
type When = DeployCommand["when"];
type Rest = Pick<DeployCommand, "when" | "run"> & Partial<DeployCommand>;

const isTyping: When = ({ item }) => item?.kind === "text";
const isReading: When = (situation) => !isTyping(situation);
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
  const isRepeatable = step === "found" || step === "preflight" || hasFailed(situation);
  return (
    isReading(situation) &&
    (isRepeatable || Object.values(known).some(({ kind }) => kind === "failed"))
  );
};
const canRollBack: When = ({ state }) =>
  state.step === "launch" && !isOngoing(state.launch) && revisionBefore(state) !== undefined;
const hasFaults: When = ({ state }) =>
  state.step === "preflight" &&
  (state.known.checked.kind === "failed" || firstFault(state) !== undefined);
const always: When = () => true;
const group = "Scrolling";
const up: Rest = { group, when: always, run: ({ steps }) => steps.move(-1) };
const down: Rest = { group, when: always, run: ({ steps }) => steps.move(1) };

const table: readonly DeployCommand[] = [
  command("next", "The next step; at the review, launch", ["Enter"], {
    hint: ({ state, item }) => {
      if (item?.id === newVariable && (state.given[newVariable] ?? "") !== "") return "add";
      return state.step === "review" ? "launch" : "next";
    },
    when: ({ state }) => state.step !== "launch",
    run: ({ steps }) => steps.next(),
  }),
  command("chat", "Chat with the new app", ["Enter"], {
    hint: "chat",
    when: isLive,
    run: ({ launch }) => launch.chat(),
  }),
  command("test", "Ask the new app for its models and one answer", ["t"], {
    hint: "test request",
    when: isLive,
    run: ({ launch }) => launch.test(),
  }),
  command("key", "Make a key for the new app", ["n"], {
    hint: "new key",
    when: isLive,
    run: ({ launch }) => launch.createKey(),
  }),
  command("retry", "Read, check or launch again", ["r"], {
    hint: ({ state }) => (state.step === "launch" ? "retry" : "again"),
    when: canRetry,
    run: ({ steps }) => steps.retry(),
  }),
  command("edit", "Back to the answers, the script read anew", ["e"], {
    hint: "edit",
    when: ({ state: { step, launch } }) =>
      step === "launch" && !(launch?.isEphemeral === true && isOngoing(launch)),
    run: ({ steps }) => steps.editAnswers(),
  }),
  command("rollBack", "Back to the revision that was active before", ["u"], {
    hint: "roll back",
    when: canRollBack,
    run: ({ launch }) => launch.rollBack(),
  }),
  command("stop", "Stop what is run once", ["x"], {
    hint: "stop",
    when: ({ state: { step, launch } }) =>
      step === "launch" && launch?.isEphemeral === true && isOngoing(launch),
    run: ({ launch }) => launch.stop(),
  }),
  command("fix", "To the step that mends the first fault", ["f"], {
    hint: "fix",
    when: hasFaults,
    run: ({ steps }) => steps.fix(),
  }),
  command("copy", "Copy the command, the key, or how to call the app", ["y"], {
    hint: "copy",
    when: (situation) => situation.state.step === "review" || isLive(situation),
    run: ({ launch }) => launch.copy(),
  }),
  command("complete", "Complete the path; elsewhere, the next field", ["Tab"], {
    hint: (situation) => (isPath(situation) ? "complete" : undefined),
    when: ({ item }) => item !== undefined,
    run: ({ steps }) => steps.complete(),
  }),
  command("previous", "Option to the left", ["Left"], {
    when: ({ item }) => item?.kind === "choice",
    run: ({ steps }) => steps.choose(-1),
  }),
  command("other", "Option to the right", ["Right", "Space"], {
    hint: "other",
    when: ({ item }) => item?.kind === "choice",
    run: ({ steps }) => steps.choose(1),
  }),
  command("up", "Field above, or option", ["Up"], up),
  command("down", "Field below, or option", ["Down"], down),
  command("upByLetter", "Up, while nothing is typed", ["k"], { ...up, when: isReading }),
  command("downByLetter", "Down, while nothing is typed", ["j"], {
    ...down,
    when: isReading,
  }),
  command("back", "One step back; the answers stay", ["Esc", "Shift+Tab"], {
    hint: "back",
    when: ({ state: { step, launch } }) =>
      step !== "script" && !(step === "launch" && isOngoing(launch)),
    run: ({ steps }) => steps.back(),
  }),
  command("log", "The whole log in the pager", ["Ctrl+O"], {
    hint: "log",
    when: isLaunched,
    run: ({ launch }) => launch.showLog(),
  }),
  command("text", "All answers as one text, in $EDITOR", ["Ctrl+E"], {
    hint: "as text",
    when: ({ state }) => state.step !== "launch",
    run: ({ text }) => text.edit(),
  }),
  command("save", "Save the draft; it is saved at each step, too", ["Ctrl+S"], {
    hint: "save",
    when: ({ state }) => state.step !== "launch",
    run: ({ drafts }) => drafts.save(),
  }),
  command("drafts", "Go on with another draft", ["Ctrl+R"], {
    slash: ["/drafts"],
    when: ({ state }) => !isOngoing(state.launch),
    run: ({ steps }) => steps.otherDraft(),
  }),
  command("new", "Another deployment, from the beginning", ["Ctrl+N"], {
    hint: ({ state }) => (state.step === "launch" ? "another" : undefined),
    when: ({ state }) => !isOngoing(state.launch),
    run: ({ steps }) => steps.startOver(),
  }),
  command("pageUp", "Page up", ["PgUp"], {
    ...up,
    run: ({ steps }) => steps.scroll(-1),
  }),
  command("pageDown", "Page down", ["PgDn"], {
    ...down,
    run: ({ steps }) => steps.scroll(1),
  }),
];

/** For the documentation. */
export const deployCommandFacts: readonly CommandFacts[] = table;

export function deployCommands(
  actions: DeployActions,
  situation: () => DeploySituation,
): BoundCommand[] {
  return bindCommands(table, situation, actions);
}

function command(id: string, title: string, keys: readonly string[], rest: Rest): DeployCommand {
  return { id: `deploy.${id}`, title, group: "Deploy", keys, ...rest };
}

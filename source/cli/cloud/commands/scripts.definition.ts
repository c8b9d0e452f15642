// Definitions of deployctl init, inspect, run, deploy: arguments, flags, help.
import type { CommandTable } from "../../program/definition.ts";
import {
  limitFlags,
  revisionFlags,
  scaleFlags,
  scriptFlags,
  singleReplicaFlags,
  switchFlags,
  trafficFlags,
  withCommonFlags,
} from "../flags.ts";

const script =
  "FILE.py holds a function with @deployctl.app or @fal.function; ::NAME names one of several.";

export const scriptCommands = withCommonFlags({
  init: {
    name: "init",
    synonyms: ["new", "create"],
    summary: "Write a script that serves a modelctl model",
    flags: {
      model: { type: "string", value: "MODEL", text: "Model to serve, by its modelctl name" },
      file: { type: "string", value: "FILE", text: "File to write; default deploy.py" },
      force: { type: "boolean", text: "Replace the file" },
    },
    examples: ["init --model tiny", "init --model tiny --file chat.py"],
    exitCodes: { 5: "The file exists" },
  },
  inspect: {
    name: "inspect",
    words: "FILE.py[::NAME]",
    summary: "Show what a script requests, without deploying it",
    details: script,
    flags: {
      static: scriptFlags.static,
      yesRun: scriptFlags.yesRun,
      env: { type: "strings", value: "K=V", text: "Environment variable that the script reads" },
    },
    examples: ["inspect deploy.py", "inspect app.py::serve --static --json"],
    docs: "docs/deployctl.md",
  },
  run: {
    name: "run",
    synonyms: ["dev"],
    words: "FILE.py[::NAME]",
    summary: "Serve a script until Ctrl+C",
    details: `${script}\nStarts the control plane when none runs.`,
    flags: {
      ...singleReplicaFlags,
      local: { type: "boolean", text: "Call the function here, without a gateway" },
      watch: { type: "boolean", text: "Restart when the script changes" },
    },
    examples: ["run deploy.py", "run app.py::serve --watch", "run app.py --local"],
    exitCodes: { 6: "Build or start failed", 130: "Stopped with Ctrl+C" },
    docs: "docs/deployctl.md",
  },
  deploy: {
    name: "deploy",
    synonyms: ["push", "publish"],
    words: "FILE.py[::NAME]",
    summary: "Deploy a script as an app, or as its next revision",
    details: `${script}\nStarts the control plane when none runs.`,
    flags: {
      ...scriptFlags,
      ...scaleFlags,
      ...limitFlags,
      ...switchFlags,
      ...trafficFlags,
      ...revisionFlags,
    },
    examples: [
      "deploy deploy.py --app-name tiny",
      "deploy app.py::serve --max-concurrency 4 -m 'Use the larger model'",
      "deploy app.py --auth public --env MODEL=tiny --smoke 'GET /v1/models'",
      "deploy app.py --traffic 10,50,100 --step-time 5m",
    ],
    exitCodes: {
      4: "Key missing or refused",
      5: "Conflict with the current state",
      6: "Build, start or verification failed",
      7: "Not ready in time",
      9: "No capacity",
    },
    docs: "docs/deployctl.md",
  },
} as const satisfies CommandTable);

// Sample states of the console with one deployment, one replica and one key.

import type { EventDocument } from "../../../../source/cloud/admin/documents.ts";
import { noFigures } from "../../../../source/ui/screens/console/app-figures.ts";
import {
  type CloudState,
  type ConsoleState,
  initialState,
} from "../../../../source/ui/screens/console/console-state.ts";
import { LogBuffer } from "../../../../source/ui/screens/console/log-buffer.ts";
import { SampleServer, sampleApp, sampleKey, sampleLine, sampleReplica } from "./sample-cloud.ts";

/** Current time for all samples. */
export const now = Date.now();
export const { target } = new SampleServer();
const status = await new SampleServer().status();

export function cloudState(change: Partial<CloudState> = {}): CloudState {
  return {
    target,
    link: { kind: "up" },
    status,
    apps: [sampleApp()],
    replicas: [sampleReplica()],
    keys: [sampleKey()],
    events: [sampleEvent()],
    figuresOf: () => ({
      ...noFigures,
      requestsPerSecond: 3.14,
      errorShare: 0.02,
      clientErrorShare: 0.04,
      ttfbMsP95: 620,
    }),
    readAtMs: now - 500,
    ...change,
  };
}

/** @param change to the loaded facts @param choices of the user */
export function consoleState(
  change: Partial<CloudState> = {},
  choices: Partial<ConsoleState> = {},
): ConsoleState {
  return { ...initialState(target), cloud: cloudState(change), ...choices };
}

export function sampleEvent(change: Partial<EventDocument> = {}): EventDocument {
  return {
    at: now,
    organisation: "local",
    app: "tiny",
    revision: undefined,
    replica: undefined,
    kind: "scaled",
    sentence: "Scaling from 1 to 2 replicas: 3 busy, 2 queued.",
    ...change,
  };
}

export function logOf(...texts: readonly string[]): LogBuffer {
  const log = new LogBuffer();
  for (const [seq, text] of texts.entries()) log.push(sampleLine({ seq, text }));
  return log;
}

/** A local control plane that does not respond. */
export const gone = {
  kind: "down",
  sentence: "The control plane does not answer.",
  isUnreachable: true,
} as const;

// The Server screen in words, for screen readers.

import { rate } from "../../../base/quantities.ts";
import type { ServerSample } from "../../../client/metrics.ts";
import { readingText } from "../../../client/requests.ts";
import type { RequestRecord } from "../../../request-log/request-record.ts";
import type { Spoken } from "../../frame/screen.ts";
import { toAscii } from "../../theme.ts";
import { requestSentence } from "./request-columns.ts";
import { currentRequest, listRequests } from "./request-list.ts";
import { requestText } from "./request-text.ts";
import { bannerOf } from "./server-body.tsx";
import { type ServerSources, textsOf } from "./server-state.ts";

/** Ended requests that are read out. */
const spokenRequests = 20;

/** Describes the server, and the open request or the newest ended ones: running ones change all the time. */
export function spokenServer({ store, feed, watch, host }: ServerSources): Spoken {
  const state = store.get();
  const { opened, read, field, filters } = state;
  const requests = feed.get();
  const { shown, selected } = listRequests(state, requests);
  const { link, samples } = watch.get();
  const server = host();
  const sample = samples.at(-1);
  const ended = shown.filter(({ state: its }) => its !== "running").slice(-spokenRequests);
  const request = opened && currentRequest(requests, opened);
  return {
    finished:
      request === undefined
        ? ended.map(requestSentence)
        : toAscii(requestText(request, textsOf(read, request))).split("\n"),
    live: [
      `Server: ${bannerOf({ state, link, host: server }, undefined)?.text ?? server.url}`,
      ...(sample === undefined ? [] : [sampleText(sample)]),
      `Filter: ${field?.editor.text ?? filters.text}`,
      ...(selected === undefined ? [] : [`Selected: ${selectedText(selected)}`]),
    ],
  };
}

function sampleText({ running, waiting, tokensPerSecond, isRecording }: ServerSample): string {
  const recording = isRecording ? ", recording prompts" : "";
  return `${running} running, ${waiting} waiting, ${rate(tokensPerSecond)} tok/s${recording}`;
}

function selectedText(view: RequestRecord): string {
  const reading = readingText(view);
  return `${view.id} ${view.method} ${view.path}${reading === undefined ? "" : `, ${reading}`}`;
}

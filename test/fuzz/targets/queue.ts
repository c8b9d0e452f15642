// Hostile calls of the queue's paths: every accepted request ends, no replica gets it twice, and nobody but its
// organisation sees it.
import { setTimeout as wait } from "node:timers/promises";
import { refusalStatuses } from "../../../source/cloud/gateway/refusals.ts";
import { TestQueue } from "../../cloud/support/test-queue.ts";
import type { Dice } from "../dice.ts";
import { hostileText, hostileValue } from "../hostile-values.ts";
import { conversationOf } from "../http-bytes.ts";
import { converse } from "../raw-socket.ts";
import type { Target } from "../target.ts";

const limits = { requestBytes: 64 * 1024, resultBytes: 32 * 1024 };
const app = "/queue/acme/chat";
const atOnce = 8;
const longestHeader = 2000;
const pollMs = 10;

/** Values of a header beside hostile ones. */
const headers: Readonly<Record<string, readonly string[]>> = {
  "x-fal-request-timeout": ["0", "-1", "1e9", "0.01", "NaN", "30"],
  "x-fal-queue-priority": ["low", "normal", "high"],
  "x-fal-runner-hint": ["same"],
  "x-dctl-retry": ["1", "0", "yes"],
  "idempotency-key": ["one", "k".repeat(300)],
  "x-fal-request-id": ["0"],
  "content-encoding": ["gzip", "identity"],
  "content-type": ["application/json"],
};
const rests = [
  ...[
    "",
    "/",
    "/generate",
    "/requests/0/status",
    "/requests/0",
    "/%",
    "/%00",
    "//",
    "/a?b=c&&=",
    "?",
  ],
  `/${"a".repeat(20_000)}`,
];
const credentials = ["", "Key", "Key wrong", "Key nobody", "Basic eDp5", "Bearer ours"].map(
  (value) => `Authorization: ${value}`,
);

interface Submission {
  path: string;
  headers: Record<string, string>;
  body: Buffer<ArrayBuffer>;
}

interface Outcome {
  status: number;
  /** Empty for a response of the app. */
  errorType: string;
  text: string;
}

export const queue: Target = {
  name: "queue",
  rounds: 200,
  async begin() {
    const test = await TestQueue.start(limits);
    test.slots = 4;
    /** Ids of the requests that the replica has got. */
    const got: string[] = [];
    const sent = new Set<string>();
    await test.gateway.addReplica((request, reply) => {
      got.push(String(request.headers["x-fal-request-id"]));
      request.pipe(reply);
    });
    test.serve({ auth: "shared" });
    const { url } = test.gateway;
    const { host } = new URL(url);

    const ask = async (
      method: string,
      path: string,
      { key, ...more }: { key?: string } & Partial<Submission> = {},
    ): Promise<Outcome> => {
      const authorization = key === undefined ? {} : { authorization: `Key ${key}` };
      const reply = await fetch(`${url}${path}`, {
        method,
        headers: { ...more.headers, ...authorization },
        body: more.body ?? null,
      });
      const errorType = reply.headers.get("x-dctl-error-type") ?? "";
      return { status: reply.status, errorType, text: await reply.text() };
    };

    /** @returns the request's id; undefined if it was refused */
    const submit = async (submission: Submission): Promise<string | undefined> => {
      const outcome = await ask("POST", submission.path, { key: "ours", ...submission });
      if (outcome.status === 200)
        return (JSON.parse(outcome.text) as { request_id: string }).request_id;
      if (outcome.status < 400 || outcome.status >= 500)
        throw new Error(`it replied ${outcome.text}`);
      checkRefusal(outcome);
      return undefined;
    };

    const checkRequest = async (id: string, dice: Dice): Promise<void> => {
      const path = `${app}/requests/${id}`;
      const ends = ["", "/", "/status", "/status?logs=1", "/status/stream", "/cancel"];
      for (const [key, status] of [
        ["theirs", 404],
        [undefined, 401],
      ] as const) {
        const end = dice.pick(ends);
        const stranger = await ask(
          end === "/cancel" ? "PUT" : "GET",
          path + end,
          key ? { key } : {},
        );
        if (stranger.status !== status) throw new Error(`a stranger got ${stranger.text}`);
      }
      if (dice.chance(0.3)) await ask("PUT", `${path}/cancel`, { key: "ours" });
      if (dice.chance(0.3)) await abandon(`${url}${path}/status/stream`);
      let result = await ask("GET", path, { key: "ours" });
      while (result.errorType === "request_in_progress") {
        await wait(pollMs);
        result = await ask("GET", path, { key: "ours" });
      }
      const isRight =
        result.status === 200 ||
        ["client_cancelled", "queue_timeout", "result_too_large"].includes(result.errorType);
      if (!isRight) throw new Error(`request ${id} ended with ${result.status} ${result.text}`);
      if (result.errorType !== "") checkRefusal(result);
    };

    return {
      async round({ dice, trying }) {
        const submissions = dice.times(atOnce, () => submissionOf(dice));
        for (const submission of submissions) trying(curlOf(url, submission));
        const accepted = await Promise.all(submissions.map(submit));
        const ids = new Set(accepted.flatMap((id) => id ?? []));
        for (const id of ids) sent.add(id);
        const [known = "0"] = ids;
        const paths = [app, `${app}/requests/${known}`, `${app}/requests/${known}/status`].concat(
          [`${app}/requests/${known}/cancel`, `${app}/requests/`, "/queue/", "/queue/acme"],
          ["/queue/%2e%2e/acme/chat", "/queue//acme/chat", "/.well-known/jwks.json", "/queue"],
        );
        const conversations = dice.times(atOnce, () =>
          conversationOf(dice, host, paths, credentials),
        );
        for (const { pieces } of conversations) {
          trying(`bytes to the queue, base64 ${Buffer.concat(pieces).toString("base64")}`);
        }
        const replies = await Promise.all(conversations.map((each) => converse(url, each)));
        const broken = replies.find((text) => /^HTTP\/1\.1 50\d /m.test(text));
        if (broken !== undefined) throw new Error(`it replied ${broken}`);
        trying(`results of ${[...ids].join(", ")}`);
        await Promise.all([...ids].map((id) => checkRequest(id, dice)));
        const twice = got.find((id, index) => got.indexOf(id) !== index);
        if (twice !== undefined) throw new Error(`the replica got ${twice} twice`);
        const stranger = got.find((id) => !sent.has(id));
        if (stranger !== undefined)
          throw new Error(`the replica got ${stranger}, which nobody may send`);
      },
      close: async () => await test.close(),
    };
  },
};

function submissionOf(dice: Dice): Submission {
  const chosen = dice.some(Object.keys(headers), 0.25).map((name) => {
    const known = headers[name] ?? [];
    return [name, dice.chance(0.5) ? dice.pick(known) : headerText(dice)] as const;
  });
  const rest = dice.pick(rests);
  const webhook = `fal_webhook=${encodeURIComponent(hostileText(dice).toWellFormed()).slice(0, 300)}`;
  const hasWebhook = dice.chance(0.2);
  const path = hasWebhook ? `${rest}${rest.includes("?") ? "&" : "?"}${webhook}` : rest;
  return { path: `${app}${path}`, headers: Object.fromEntries(chosen), body: bodyOf(dice) };
}

function bodyOf(dice: Dice): Buffer<ArrayBuffer> {
  if (dice.chance(0.1))
    return Buffer.alloc(dice.pick([limits.resultBytes, limits.requestBytes]) + 1);
  if (dice.chance(0.2)) return Buffer.from(dice.bytes(dice.below(200)));
  return Buffer.from(JSON.stringify(hostileValue(dice)));
}

/** Returns a hostile text that a client can send as a header. */
function headerText(dice: Dice): string {
  return hostileText(dice)
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "")
    .slice(0, longestHeader);
}

function checkRefusal({ status, errorType, text }: Outcome): void {
  const known = Object.entries(refusalStatuses).find(([type]) => type === errorType)?.[1];
  if (known !== status) throw new Error(`an undocumented error: ${status} ${text}`);
  const document = JSON.parse(text) as { error_type?: string };
  if (document.error_type !== errorType) throw new Error(`another error in the body: ${text}`);
}

/** Reads the beginning of a stream and leaves. */
async function abandon(url: string): Promise<void> {
  const leaving = new AbortController();
  await fetch(url, { headers: { authorization: "Key ours" }, signal: leaving.signal });
  leaving.abort();
}

function curlOf(url: string, { path, headers, body }: Submission): string {
  const words = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`);
  return `base64 -d <<< ${body.toString("base64")} | curl ${words.join(" ")} --data-binary @- '${url}${path}'`;
}

// Server that requires keys: no request passes without a key, beyond its role, or above its limit.

import type { KeyRole } from "../../../source/api-keys/key-record.ts";
import { openServerKeys } from "../../../source/application/local-server/server-keys.ts";
import { type ApiRequest, curlOf, makeRequest, operationsIn } from "../api-requests.ts";
import type { Dice } from "../dice.ts";
import { conversationOf } from "../http-bytes.ts";
import { mutateBytes } from "../mutate-bytes.ts";
import { converse } from "../raw-socket.ts";
import { ServerUnderAttack } from "../server-under-attack.ts";
import type { Target } from "../target.ts";
import { checkReplies } from "./sockets.ts";

const requestsPerMinute = 10;
const closedPaths = [
  ...["/api/tags", "/v1/models", "/api/show", "/metrics", "/openapi.json", "/api/requests"],
  ...[
    "//api/tags",
    "/api/%74ags",
    "/api/tags/",
    "/api/version/../tags",
    "/?/api/tags#",
    "/API/TAGS",
  ],
];
const managing = new Set(["create", "copy", "delete", "pull", "recording", "blobs/{digest}"]);
const strangers = 4;

export const keys: Target = {
  name: "keys",
  rounds: 200,
  async begin() {
    const server = await ServerUnderAttack.start(undefined, {
      require_key: true,
      key_requests_per_minute: requestsPerMinute,
    });
    const store = openServerKeys({ data: server.folder }, () => {});
    const newToken = (role: KeyRole) => {
      return store.create({ name: "fuzz", role, expiresAt: undefined }).token;
    };
    const ask = async (token: string, request: ApiRequest) =>
      await server.send(request.method, request.target, request.body, {
        authorization: `Bearer ${token}`,
      });
    const list = { method: "GET", target: "/api/tags", body: undefined };
    const described = await ask(newToken("infer"), { ...list, target: "/openapi.json" });
    const operations = operationsIn(described).filter(({ path }) =>
      managing.has(path.slice("/api/".length)),
    );
    const { host } = new URL(server.url);
    return {
      async round({ dice, trying }) {
        const token = newToken("infer");
        const conversations = dice.times(strangers, () =>
          conversationOf(dice, host, closedPaths, wrongKeys(dice, token)),
        );
        for (const { pieces } of conversations) {
          trying(`bytes without a key, base64 ${Buffer.concat(pieces).toString("base64")}`);
        }
        for (const text of await Promise.all(
          conversations.map((each) => converse(server.url, each)),
        )) {
          checkReplies(text);
          // A preflight has no key.
          if (/^HTTP\/1\.1 (?!204)2/m.test(text)) throw new Error(`a stranger got ${text}`);
        }
        const managed = makeRequest(dice, dice.pick(operations));
        trying(`with a key for inference, ${curlOf(server.url, managed)}`);
        const { status } = await ask(token, managed);
        if (status < 400) throw new Error(`a key for inference got ${status}`);
        trying("more requests at once than a key may send");
        const burst = dice.times(2 * requestsPerMinute, () => ask(token, list));
        const statuses = (await Promise.all(burst)).map((reply) => reply.status);
        const isRight = [200, 429].every((status) => statuses.includes(status));
        if (!isRight) throw new Error(`a key got ${statuses.join(", ")}`);
        trying("a revoked key");
        const revoked = newToken("manage");
        store.revoke(revoked);
        const refused = await ask(revoked, list);
        if (refused.status < 400) throw new Error(`a revoked key got ${refused.status}`);
        await server.checkIsWell();
      },
      size: async () => server.size(),
      async close() {
        store.close();
        await server.close();
      },
    };
  },
};

/** Headers that are nearly those of a key. */
function wrongKeys(dice: Dice, token: string): string[] {
  const changed = mutateBytes(dice, Buffer.from(token)).toString("latin1");
  const other = changed === token ? `${token}x` : changed;
  const values = ["", "Bearer", "Basic eDp5", "Bearer mk_", `Bearer ${other}`, `Token ${other}`];
  return [
    ...values.map((value) => `Authorization: ${value}`),
    ...[`Authorization: ${other}`, `X-Api-Key: ${other}`, `X-Modelctl-Owner: ${other}`],
  ];
}

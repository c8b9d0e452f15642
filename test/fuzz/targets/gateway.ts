// Nearly valid heads and keys at the gateway of deployctl, which must reject every request without a key.
import { cloudKey, keysBy, routedApp } from "../../support/cloud-documents.ts";
import { TestGateway } from "../../support/test-gateway.ts";
import { conversationOf } from "../http-bytes.ts";
import { converse } from "../raw-socket.ts";
import type { Target } from "../target.ts";

const token = "dctl_right";
const paths = [
  "/acme/chat",
  "/acme/chat/v1/models",
  "/acme/nothing",
  "/health",
  "/",
  "/acme/%2e%2e/chat",
];
const credentials = [
  ...["", "Bearer", "Bearer ", "Key", "Key x", "Basic eDp5", "bearer dctl_wrong", "Key dctl_righ"],
  ...[
    "Key dctl_right2",
    "Key DCTL_RIGHT",
    "Key dctl_right\0",
    "Key\tdctl_wrong",
    "Key , dctl_wrong",
  ],
].map((value) => `Authorization: ${value}`);
const own = [
  ...["X-Dctl-Start-Timeout: -1", "X-Dctl-Start-Timeout: 1e9", "X-Fal-Request-Timeout: x"],
  ...["X-Dctl-Cold-Start: fail", "X-Dctl-Affinity: \xff", "X-Dctl-Request-Id: a b"],
];
const atOnce = 8;

export const gateway: Target = {
  name: "gateway",
  rounds: 200,
  async begin() {
    const test = await TestGateway.start({ keys: keysBy({ [token]: cloudKey() }) });
    let passed = 0;
    const replica = await test.addReplica((request, reply) => {
      passed += 1;
      request.resume();
      request.once("end", () => reply.end("ok"));
    });
    test.gateway.table.publish([routedApp({ auth: "private", replicas: [replica.routed()] })]);
    const { host } = new URL(test.url);
    return {
      async round({ dice, trying }) {
        const conversations = dice.times(atOnce, () =>
          conversationOf(dice, host, paths, [...credentials, ...own]),
        );
        for (const { pieces } of conversations) {
          trying(`bytes to the gateway, base64 ${Buffer.concat(pieces).toString("base64")}`);
        }
        const replies = await Promise.all(conversations.map((each) => converse(test.url, each)));
        const broken = replies.find((text) => /^HTTP\/1\.1 500 /m.test(text));
        if (broken !== undefined) throw new Error(`it replied ${broken}`);
        if (passed > 0) throw new Error("a request without the key reached the replica");
        const { status } = await fetch(`${test.url}/acme/chat`, {
          headers: { authorization: `Key ${token}` },
        });
        if (status !== 200) throw new Error(`the right key got ${status}`);
        passed = 0;
      },
      close: async () => await test.close(),
    };
  },
};

// Key that signs webhooks as fal does: Ed25519, with the public key as a JSON Web Key Set.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import path from "node:path";
import { createKeyFile, readKeyFile } from "../state/key-file.ts";

/** DER of a private key in front of its 32 bytes: https://www.rfc-editor.org/rfc/rfc8410#section-7 */
const privatePrefix = Buffer.from("302e020100300506032b657004220420", "hex");

export class WebhookKey {
  readonly #key: KeyObject;

  private constructor(key: KeyObject) {
    this.#key = key;
  }

  /** Creates the file with mode 0600 if there is none. */
  static open(stateFolder: string): WebhookKey {
    const file = path.join(stateFolder, "keys", "webhooks");
    const seed = readKeyFile(file) ?? createKeyFile(file);
    const key = Buffer.concat([privatePrefix, seed]);
    return new WebhookKey(createPrivateKey({ key, format: "der", type: "pkcs8" }));
  }

  /** Public key for receivers of webhooks: https://www.rfc-editor.org/rfc/rfc8037#section-2 */
  keySet(): { keys: object[] } {
    const { kty, crv, x = "" } = createPublicKey(this.#key).export({ format: "jwk" });
    const kid = createHash("sha256").update(x).digest("hex").slice(0, 16);
    return { keys: [{ kty, crv, x, kid, use: "sig", alg: "EdDSA" }] };
  }

  /**
   * Headers of a webhook. What is signed: request id, user id, time and the body's SHA-256 in hex, one per
   * line (https://docs.fal.ai/model-apis/model-endpoints/webhooks).
   *
   * @param userId organisation of the caller
   */
  sign(
    body: string,
    { requestId, userId, nowMs }: { requestId: string; userId: string; nowMs: number },
  ): Record<string, string> {
    const timestamp = String(Math.floor(nowMs / 1000));
    const digest = createHash("sha256").update(body).digest("hex");
    const message = [requestId, userId, timestamp, digest].join("\n");
    return {
      "content-type": "application/json",
      "x-fal-webhook-request-id": requestId,
      "x-fal-webhook-user-id": userId,
      "x-fal-webhook-timestamp": timestamp,
      "x-fal-webhook-signature": sign(null, Buffer.from(message), this.#key).toString("hex"),
    };
  }
}

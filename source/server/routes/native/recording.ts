// POST /api/recording: turns recording of prompts, answers and bodies on or off, until the server
// ends.
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { ProductError } from "../../../base/product-error.ts";
import { isOwner } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { serverErrors } from "../../errors.ts";

export const RecordingBody = Type.Object({
  /** `false` also deletes the recordings. */
  enabled: Type.Boolean(),
});
export type RecordingBody = Static<typeof RecordingBody>;

export function registerRecording(
  app: FastifyInstance,
  { transcripts, ownerToken, log }: Pick<ServerDependencies, "transcripts" | "ownerToken" | "log">,
): void {
  app.post<{ Body: RecordingBody }>(
    "/api/recording",
    { schema: { body: RecordingBody } },
    async (request) => {
      // Without keys, anyone could otherwise read everybody's prompts.
      const hasManagingKey = request.caller?.keyId !== undefined && request.caller.mayManage;
      if (!hasManagingKey && !isOwner(request, ownerToken)) {
        throw new ProductError(serverErrors.keyForbidden, {
          message: "Recording requires the server's owner or a key with the role manage.",
          hint: "Press P in modelctl's Server screen.",
        });
      }
      const { enabled } = request.body;
      if (enabled !== transcripts.isRecording) {
        transcripts.record(enabled);
        log(
          enabled
            ? "recording of prompts and answers is on"
            : "recording of prompts and answers is off",
        );
      }
      return { enabled };
    },
  );
}

// POST /api/recording: begins or ends the recording of prompts, answers and bodies, until the server ends.
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { ProductError } from "../../../base/product-error.ts";
import { isOwner } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { serverErrors } from "../../errors.ts";

export const RecordingBody = Type.Object({
  /** `false` also forgets what was recorded. */
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
      // Strangers on a server without keys could else read everybody's prompts.
      const hasManagingKey = request.caller?.keyId !== undefined && request.caller.mayManage;
      if (!hasManagingKey && !isOwner(request, ownerToken)) {
        throw new ProductError(serverErrors.keyForbidden, {
          message: "Recording needs the user who runs the server, or a key of the role manage.",
          hint: "The Server screen of modelctl switches it with P.",
        });
      }
      const { enabled } = request.body;
      if (enabled !== transcripts.isRecording) {
        transcripts.record(enabled);
        log(enabled ? "prompts and answers are recorded" : "nothing said is recorded any more");
      }
      return { enabled };
    },
  );
}

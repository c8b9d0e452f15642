// A response that fails before its first event.
import { expect, test } from "vitest";
import { ProductError } from "../../../../../source/base/product-error.ts";
import { engineErrors } from "../../../../../source/engine/errors.ts";
import { ResponseAnswer } from "../../../../../source/server/routes/openai/responses/response-answer.ts";

test("has all the events that readers build a response from", () => {
  const answer = new ResponseAnswer({ model: "tiny", input: "Hello!", stream: true });
  const events = answer.fail(new ProductError(engineErrors.loadFailed, { message: "No room." }));
  expect(events).toMatchObject([
    { type: "response.created", sequence_number: 0, response: { status: "in_progress" } },
    { type: "response.in_progress", sequence_number: 1 },
    { type: "error", sequence_number: 2, message: "No room." },
    { type: "response.failed", sequence_number: 3, response: { status: "failed", output: [] } },
  ]);
});

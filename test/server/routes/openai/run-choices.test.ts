// The requests behind several choices.
import { expect, test } from "vitest";
import { plainChat, plainRequest } from "../../../../source/engine/request.ts";
import { repeatWithSeeds } from "../../../../source/server/routes/openai/run-choices.ts";
import { ModelCatalog } from "../../../../source/store/model-catalog.ts";

const request = (seed?: number) =>
  plainRequest({
    model: "tiny",
    isFileAllowed: () => true,
    input: plainChat([{ role: "user", content: "Hello!" }]),
    parameters: { temperature: 1, ...(seed !== undefined && { seed }) },
  });

const tiny = await new ModelCatalog().resolve("tiny");
const seeds = (seed: number | undefined, own: number | undefined) =>
  repeatWithSeeds(request(seed), 3, {
    ...tiny,
    parameters: own === undefined ? {} : { seed: own },
  }).map(({ parameters }) => parameters.seed);

test("seeds count up from the request's, or else the model's", () => {
  expect(seeds(5, undefined)).toEqual([5, 6, 7]);
  expect(seeds(0, 9)).toEqual([0, 1, 2]);
  // The first leaves the model's own seed to the model.
  expect(seeds(undefined, 9)).toEqual([undefined, 10, 11]);
});

test("without a seed each choice draws its own", () => {
  expect(seeds(undefined, undefined)).toEqual([undefined, undefined, undefined]);
  expect(seeds(-1, 9)).toEqual([-1, -1, -1]);
});

test("nothing else differs", () => {
  const [first, second] = repeatWithSeeds(request(5), 2, tiny);
  expect(second).toEqual({ ...first, parameters: { ...first?.parameters, seed: 6 } });
});

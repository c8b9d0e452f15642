// Every route with every field, as the server describes them itself, and a hostile value in some place.
import { isRecord } from "../../../source/base/json-record.ts";
import type { Dice } from "../dice.ts";
import { hostileText, hostileValue } from "../hostile-values.ts";
import { sampleObject } from "../sample-values.ts";
import { ServerUnderAttack } from "../server-under-attack.ts";
import type { Target } from "../target.ts";

interface Operation {
  method: string;
  path: string;
  /** Schema of the body; undefined for routes without one. */
  schema: Record<string, unknown> | undefined;
  parameters: ReadonlyArray<{ name: string; in: string }>;
}

interface Sent {
  method: string;
  target: string;
  body: unknown;
}

/** Each round sends so many at once: requests meet one another in the engine. */
const atOnce = 4;

export const requests: Target = {
  name: "requests",
  rounds: 500,
  async begin() {
    const server = await ServerUnderAttack.start();
    const operations = operationsIn(await server.send("GET", "/openapi.json"));
    return {
      async round({ dice, trying }) {
        const sent = dice.times(atOnce, () => makeRequest(dice, dice.pick(operations)));
        for (const each of sent) trying(curlOf(server.url, each));
        const work = sent.map(async (each) => {
          try {
            await server.send(each.method, each.target, each.body);
          } catch (error) {
            throw new Error(`${error}\n  by: ${curlOf(server.url, each)}`);
          }
        });
        await Promise.all(work);
        await server.checkIsWell();
      },
      size: async () => server.size(),
      close: async () => await server.close(),
    };
  },
};

function operationsIn({ text }: { text: string }): Operation[] {
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { parameters = [], requestBody } = Object(operation);
      const schema = requestBody?.content?.["application/json"]?.schema;
      return { method: method.toUpperCase(), path, parameters, schema };
    }),
  );
}

function makeRequest(dice: Dice, { method, path, schema, parameters }: Operation): Sent {
  const value = () => encodeURIComponent(hostileText(dice).slice(0, 2000).toWellFormed());
  const query = dice
    .some(parameters.filter((each) => each.in === "query" && each.name !== "follow"))
    .map(({ name }) => `${name}=${value()}`)
    .join("&");
  const target = path.replaceAll(/\{\w+\}/g, value) + (query === "" ? "" : `?${query}`);
  if (schema === undefined) {
    return { method, target, body: method === "GET" ? undefined : hostileText(dice) };
  }
  return { method, target, body: spoil(dice, sampleObject(dice, schema)) };
}

/** Puts hostile values into up to three places, however deep; seldom, into the text itself. */
function spoil(dice: Dice, body: object): unknown {
  for (let left = dice.below(4); left > 0; left -= 1) replaceSomewhere(dice, body);
  if (dice.chance(0.03)) return "[".repeat(100_000);
  if (dice.chance(0.03)) return JSON.stringify(body).slice(0, dice.below(200));
  return dice.chance(0.02) ? hostileValue(dice) : body;
}

function replaceSomewhere(dice: Dice, place: object): void {
  const keys = Object.keys(place);
  if (keys.length === 0) return;
  const key = dice.pick(keys);
  const inner: unknown = Reflect.get(place, key);
  const isDeeper = (isRecord(inner) || Array.isArray(inner)) && dice.chance(0.6);
  if (isDeeper) replaceSomewhere(dice, inner);
  else Reflect.set(place, key, hostileValue(dice));
}

function curlOf(url: string, { method, target, body }: Sent): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const data = body === undefined ? "" : ` --data-binary '${text.replaceAll("'", "'\\''")}'`;
  return `curl -X ${method} '${url}${target}'${data}`;
}

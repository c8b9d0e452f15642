// Speed of answers with and without guesses from the conversation, on a real model: synthetic ones
// write nothing that repeats the prompt.

import { decodeRate } from "./load-generator.ts";
import { processorMsOf } from "./machine-load.ts";
import { createPromptSource } from "./prompts.ts";
import type { Figure } from "./report.ts";
import {
  createHome,
  type RunningServer,
  type ServerSettings,
  startOursAt,
} from "./server-process.ts";

interface Task {
  name: string;
  question: (round: number) => string;
  tokens: number;
  /** Least ratio of the speeds with and without guesses. */
  target?: number;
}

const code = Array.from({ length: 10 }, (_, index) => {
  const field = ["count", "price", "weight", "colour", "size"][index % 5];
  const check = ["orders", "boxes", "letters", "parcels"][index % 4];
  return `def read_${field}_${index}(${check}):
    total = ${index}
    for item in ${check}:
        total += item.${field} * ${index + 2}
    return total
`;
}).join("\n");

const report = `The harbour of the town was rebuilt in three years. In the first year the old piers were
removed, because their wood had become rotten. In the second year the ground was dredged, so that
larger ships could enter, and in the third year a new pier of concrete was built, with two cranes and a
railway. The costs were higher than planned: the ground contained wrecks which had to be lifted, and
the price of steel doubled. The town council had to borrow money twice. Nevertheless most merchants
were content. The number of ships rose from forty to ninety a month, and the fish market, which had
been closed for ten years, opened again. Fishermen complained about the noise of the cranes.`;

const tasks: readonly Task[] = [
  {
    name: "edit of code",
    question: (round) =>
      `Repeat this code with the variable total renamed to sum${round}, and nothing else:\n\n${code}`,
    tokens: 300,
    target: 1.6,
  },
  {
    name: "summary",
    question: (round) => `Summarize this report in ${round + 4} sentences:\n\n${report}`,
    tokens: 120,
  },
  {
    name: "story",
    question: (round) => `Write a long story about a fox and ${round + 1} geese.`,
    tokens: 250,
    target: 0.97,
  },
];

/** Asks both servers the same, in turn; the model stays loaded. */
export async function measureLookup(
  settings: ServerSettings,
  rounds: number,
  progress: (line: string) => void,
): Promise<Figure[]> {
  const start = async (more: Record<string, string>) =>
    await startOursAt({
      ...(await createHome(settings.temporaryFolder, settings.usesPrebuilt)),
      ...more,
    })(settings);
  const guessing = await start({});
  const plain = await start({ MODELCTL_LOOKUP_TOKENS: "0" });
  const rates = new Map(tasks.map((task) => [task, { guessing: [], plain: [] } as Samples]));
  try {
    for (const { client } of [guessing, plain])
      await client.chat(createPromptSource(0).chat(16), 32);
    for (let round = 1; round <= rounds; round++) {
      for (const [task, { guessing: fast, plain: slow }] of rates) {
        progress(`guesses: ${task.name}, round ${round} of ${rounds}`);
        const turns = [
          async () => fast.push(await speedOf(guessing, task, round)),
          async () => slow.push(await speedOf(plain, task, round)),
        ];
        if (round % 2 === 0) turns.reverse();
        for (const turn of turns) await turn();
      }
    }
  } finally {
    await Promise.all([guessing.stop(), plain.stop()]);
  }
  return [...rates].flatMap(([task, samples]) => figuresOf(task, samples));
}

interface Speed {
  /** Tokens per second. */
  rate: number;
  /** Tokens per second of the processor, which other programs disturb less; NaN without /proc. */
  processorRate: number;
}

interface Samples {
  guessing: Speed[];
  plain: Speed[];
}

/** Asks twice: the first request reads the prompt, so that the second one only writes. */
async function speedOf(
  { client, processGroup }: RunningServer,
  task: Task,
  round: number,
): Promise<Speed> {
  const messages = [{ role: "user" as const, content: task.question(round) }];
  await client.chat(messages, 1);
  const before = processorMsOf([processGroup]) ?? Number.NaN;
  const result = await client.chat(messages, task.tokens);
  const processorMs = (processorMsOf([processGroup]) ?? Number.NaN) - before;
  return {
    rate: decodeRate(result),
    processorRate: (result.completionTokens * 1000) / processorMs,
  };
}

function figuresOf({ name, target }: Task, { guessing, plain }: Samples): Figure[] {
  const ratios = (field: keyof Speed) =>
    guessing.map((speed, index) => speed[field] / (plain[index]?.[field] ?? Number.NaN));
  return [
    { label: `${name}, without guesses`, unit: "tok/s", samples: plain.map(({ rate }) => rate) },
    { label: `${name}, with guesses`, unit: "tok/s", samples: guessing.map(({ rate }) => rate) },
    {
      label: `${name}, with / without`,
      unit: "x",
      samples: ratios("rate"),
      ...(target !== undefined && { target: { bound: "at least" as const, value: target } }),
    },
    { label: `${name}, by processor time`, unit: "x", samples: ratios("processorRate") },
  ];
}

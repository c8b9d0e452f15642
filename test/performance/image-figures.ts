// Time to read images and answer questions about them, compared with llama-server and the same projector.

import sharp from "sharp";
import { type ChatResult, type Client, decodeRate, timeToFirstToken } from "./load-generator.ts";
import {
  createPromptSource,
  type ImageMessage,
  type Message,
  type PromptSource,
} from "./prompts.ts";
import { createRandom } from "./random.ts";
import type { Figure } from "./report.ts";
import { type ServerSettings, startOurs, startPeerWith } from "./server-process.ts";
import type { SeeingModel } from "./synthetic-projector.ts";

const side = 384;

interface ImageRun {
  settings: ServerSettings;
  model: SeeingModel;
  /** The llama-server program. */
  peer: string;
  peerEnvironment: Record<string, string>;
  rounds: number;
}

/** Returns ratios of the servers' times, where more is better for ours. */
export async function measureImages(run: ImageRun): Promise<Figure[]> {
  const { model, peer, peerEnvironment, rounds } = run;
  const settings = { ...run.settings, modelPath: model.modelPath };
  const ours = await startOurs(settings);
  const theirs = await startPeerWith(peer, peerEnvironment, ["--mmproj", model.projectorPath])(
    settings,
  );
  const samples = new Map<string, number[]>();
  const note = (label: string, ratio: number) => {
    samples.set(label, [...(samples.get(label) ?? []), ratio]);
  };
  try {
    for (let round = 0; round <= rounds; round++) {
      const order = [ours.client, theirs.client];
      if (round % 2 === 1) order.reverse();
      const results = new Map<Client, Looks>();
      for (const client of order) results.set(client, await look(client, round));
      const [own, other] = [results.get(ours.client), results.get(theirs.client)];
      if (own === undefined || other === undefined) throw new Error("a server was left out");
      checkEqual(own, other);
      // The first round warms up.
      if (round === 0) continue;
      note("first token, new image", other.newMs / own.newMs);
      note("first token, same image in another chat", other.againMs / own.againMs);
      note("first token, next turn about the image", other.nextMs / own.nextMs);
      note("decode after an image", own.decodeRate / other.decodeRate);
      note("four new images at once", other.fourMs / own.fourMs);
    }
  } finally {
    await Promise.all([ours.stop(), theirs.stop()]);
  }
  return [...samples].map(([label, ratios]) => ({
    label: `${label}, speed ours / peer`,
    unit: "x",
    samples: ratios,
    target: { bound: "at least", value: 0.9 },
  }));
}

interface Looks {
  newMs: number;
  againMs: number;
  nextMs: number;
  decodeRate: number;
  fourMs: number;
  chats: ChatResult[];
}

async function look(client: Client, round: number): Promise<Looks> {
  const prompts = createPromptSource(round + 1);
  const random = createRandom(round + 1);
  const image = await makeImage(random);
  const question = ask(prompts, image);
  const first = await client.chat([question], 48);
  const chat: Array<Message | ImageMessage> = [
    question,
    { role: "assistant", content: first.text },
  ];
  const next = await client.chat([...chat, { role: "user", content: prompts.text(16) }], 8);
  const again = await client.chat(
    [{ role: "system", content: prompts.text(16) }, ask(prompts, image)],
    8,
  );
  const images = await Promise.all([1, 2, 3, 4].map(() => makeImage(random)));
  const startedAtMs = performance.now();
  const four = await Promise.all(images.map((each) => client.chat([ask(prompts, each)], 16)));
  const fourMs = performance.now() - startedAtMs;
  return {
    newMs: timeToFirstToken(first),
    againMs: timeToFirstToken(again),
    nextMs: timeToFirstToken(next),
    decodeRate: decodeRate(first),
    fourMs,
    chats: [first, next, again, ...four],
  };
}

/** Throws if the work was unequal, which would make every ratio meaningless. */
function checkEqual(own: Looks, other: Looks): void {
  const work = ({ chats }: Looks) =>
    chats.map(({ promptTokens, completionTokens }) => `${promptTokens}+${completionTokens}`).join();
  if (work(own) !== work(other)) throw new Error(`unequal work: ${work(own)} and ${work(other)}`);
}

function ask(prompts: PromptSource, image: string): ImageMessage {
  const text = prompts.text(16);
  return {
    role: "user",
    content: [
      { type: "image_url", image_url: { url: image } },
      { type: "text", text },
    ],
  };
}

/** Returns a unique image, as a data URI. */
async function makeImage(random: () => number): Promise<string> {
  const pixels = Buffer.alloc(side * side * 3);
  for (let at = 0; at < pixels.length; at += 4) pixels.writeUInt32LE(random(), at);
  const png = await sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return `data:image/png;base64,${png.toString("base64")}`;
}

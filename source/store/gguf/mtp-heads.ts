// MTP heads (multi-token prediction): layers behind a model's own that predict further tokens.
import type { GgufHeader, GgufTensor } from "./read-gguf.ts";
import { tensorBytes } from "./tensor-size.ts";

export interface MtpHeads {
  /** Layers that the metadata announces, which count as layers of the model. */
  announced: number;
  /** Heads whose weights are in the file. */
  present: number;
  /** Bytes that a predicted token reads: the first head's layer and the model's output. */
  activeBytes: number;
}

/** Projects a token's embedding and the model's state to the head's input: no head is without it. */
const projection = /^blk\.(\d+)\.nextn\.eh_proj\.weight$/;

/** @param tensors those of all parts of a split model */
export function mtpHeads(
  { metadata }: Pick<GgufHeader, "metadata">,
  tensors: readonly GgufTensor[],
): MtpHeads {
  const architecture = metadata.get("general.architecture");
  const announced = metadata.get(`${architecture}.nextn_predict_layers`);
  const layers = tensors.flatMap(({ name }) => projection.exec(name)?.[1] ?? []);
  const hasOutput = tensors.some(({ name }) => name === "output.weight");
  const output = hasOutput ? "output.weight" : "token_embd.weight";
  const active = tensors.filter(
    ({ name }) => name === output || name.startsWith(`blk.${layers[0]}.`),
  );
  return {
    announced: typeof announced === "number" ? announced : 0,
    present: layers.length,
    activeBytes: layers.length === 0 ? 0 : active.reduce((sum, each) => sum + tensorBytes(each), 0),
  };
}

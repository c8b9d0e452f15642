// Damaged headers of a small model with all types of values, thousands per second, for the parser that
// reads every model file first.
import { factsOf } from "../../../source/store/gguf/gguf-facts.ts";
import { readOpenGguf } from "../../../source/store/gguf/read-gguf.ts";
import { isOfVocabulary, vocabularyOf } from "../../../source/store/gguf/vocabulary.ts";
import * as gguf from "../../support/gguf-builder.ts";
import { mutateBytes } from "../mutate-bytes.ts";
import { orRefusal } from "../refusal.ts";
import type { Target } from "../target.ts";

const original = gguf.buildGguf({
  metadata: {
    ...gguf.leastMetadata,
    "general.alignment": gguf.uint32(32),
    "llama.attention.head_count": gguf.uint32(4),
    "llama.attention.head_count_kv": gguf.array(5, [gguf.int32(2), gguf.int32(2)]),
    "llama.attention.sliding_window": gguf.uint64(256n),
    "llama.embedding_length": gguf.uint16(32),
    "llama.rope.freq_base": gguf.float32(10_000),
    "tokenizer.ggml.model": gguf.text("llama"),
    "tokenizer.ggml.pre": gguf.text("default"),
    "tokenizer.ggml.token_type": gguf.array(5, [1, 2, 3].map(gguf.int32)),
    "tokenizer.ggml.scores": gguf.array(6, [0, 1, 2].map(gguf.float32)),
    "tokenizer.ggml.bos_token_id": gguf.uint32(1),
    "tokenizer.ggml.eos_token_id": gguf.int64(2n),
    "tokenizer.ggml.add_bos_token": gguf.bool(true),
    "tokenizer.chat_template": gguf.text("{% for m in messages %}{{ m.content }}{% endfor %}"),
    "x.bytes": gguf.array(0, [gguf.uint8(1)]),
    "x.others": gguf.array(12, [gguf.float64(0.5)]),
  },
  tensors: ["token_embd.weight", "output.weight"].map((name, index) => {
    return { name, shape: [32, 3], type: index, offset: index * 384 };
  }),
  dataBytes: 1024,
});

export const headers: Target = {
  name: "headers",
  rounds: 20_000,
  async begin() {
    await look(original);
    return {
      async round({ dice, trying }) {
        const bytes = mutateBytes(dice, original);
        trying(`a model, base64 ${bytes.toString("base64")}`);
        await orRefusal(() => look(bytes));
      },
    };
  },
};

async function look(bytes: Buffer): Promise<void> {
  const read = async (...[buffer, offset, length, position]: [Buffer, number, number, number]) => {
    return { bytesRead: bytes.copy(buffer, offset, position, position + length) };
  };
  const header = await readOpenGguf({ read }, { file: "x", size: bytes.length }, isOfVocabulary);
  factsOf("x", header);
  vocabularyOf(header);
}

// Damaged Modelfiles: parsed, or rejected with a line; a parsed one can be written and parsed again.
import { parseModelfile } from "../../../source/store/modelfile/parse-modelfile.ts";
import { printModelfile } from "../../../source/store/modelfile/print-modelfile.ts";
import type { Dice } from "../dice.ts";
import { hostileText } from "../hostile-values.ts";
import { mutateBytes } from "../mutate-bytes.ts";
import { orRefusal } from "../refusal.ts";
import type { Target } from "../target.ts";

const original = `# A comment
FROM ./model.gguf
FROM other:7b
ADAPTER ./adapter.gguf
PARAMETER temperature 0.5
PARAMETER stop "<|im_end|>"
PARAMETER num_ctx 4096
SYSTEM """You are
"quoted"."""
TEMPLATE """{{ if .System }}{{ .System }}{{ end }}{{ range .Messages }}{{ .Content }}{{ end }}"""
MESSAGE user Hello
MESSAGE assistant Hi!
LICENSE """MIT"""
REQUIRES 0.1.0
`;
const commands = ["FROM", "PARAMETER", "SYSTEM", "TEMPLATE", "MESSAGE", "LICENSE", "REQUIRES"];

export const modelfiles: Target = {
  name: "modelfiles",
  rounds: 3000,
  async begin() {
    return {
      async round({ dice, trying }) {
        const text = dice.chance(0.5) ? damaged(dice) : invented(dice);
        trying(`a Modelfile, base64 ${text.toString("base64")}`);
        await orRefusal(() => {
          const { definition } = parseModelfile(text);
          parseModelfile(printModelfile(definition).text);
        });
      },
    };
  },
};

function damaged(dice: Dice): Buffer {
  const bytes = mutateBytes(dice, Buffer.from(original));
  return dice.chance(0.1) ? Buffer.from(`\ufeff${bytes.toString("latin1")}`, "utf16le") : bytes;
}

function invented(dice: Dice): Buffer {
  const lines = dice.times(1 + dice.below(8), () => {
    const quote = dice.pick(["", '"', '"""']);
    return `${dice.pick(commands)} ${quote}${hostileText(dice)}${quote}`;
  });
  return Buffer.from(["FROM x", ...lines].join(dice.pick(["\n", "\r\n", "\r"])));
}

// Choice of the template, its reason, and the model's capabilities.
import { describe, expect, it } from "vitest";
import {
  type CapabilityFacts,
  capabilitiesOf,
  chooseTemplate,
} from "../../source/prompt/choose-template.ts";

const jinja = "{% for m in messages %}{{ m.content }}{% endfor %}";
const go = "{{ .Prompt }}";

describe("the chosen template", () => {
  it("is the Modelfile's, whatever the model's file has", () => {
    const { template, origin, reason, isGuess } = chooseTemplate({ modelfile: go, gguf: jinja });
    expect([template.kind, template.source, origin, isGuess]).toEqual([
      "go",
      go,
      "modelfile",
      false,
    ]);
    expect(reason).toBe(
      "The Modelfile has a TEMPLATE, which replaces the one in the model's file.",
    );
    expect(chooseTemplate({ modelfile: go, gguf: undefined }).reason).toBe(
      "The Modelfile has a TEMPLATE.",
    );
  });

  it("is the model file's if the Modelfile has none", () => {
    for (const modelfile of [undefined, "", " \n"]) {
      const { template, origin, reason, isGuess } = chooseTemplate({ modelfile, gguf: jinja });
      expect([template.kind, origin, isGuess]).toEqual(["jinja", "gguf", false]);
      expect(reason).toContain("brings a Jinja template");
    }
  });

  it("is ChatML if there is none, with a warning", () => {
    const chosen = chooseTemplate({ modelfile: undefined, gguf: undefined });
    expect(chosen.origin).toBe("fallback");
    expect(chosen.isGuess).toBe(true);
    expect(chosen.reason).toContain("ChatML");
    expect(chosen.template.source).toContain("<|im_start|>");
  });

  it("is refused if the Modelfile's is invalid, not skipped", () => {
    expect(() => chooseTemplate({ modelfile: "{{ .Prompt", gguf: jinja })).toThrow(
      expect.objectContaining({ code: "PROMPT_TEMPLATE_INVALID" }),
    );
  });
});

describe("capabilities", () => {
  const of = (modelfile: string | undefined, gguf?: string, facts: Partial<CapabilityFacts> = {}) =>
    capabilitiesOf(chooseTemplate({ modelfile, gguf }).template, {
      hasVision: false,
      ...facts,
    });

  it("of a plain template are only completion", () => {
    expect(of(go)).toEqual(["completion"]);
    expect(of(undefined, jinja)).toEqual(["completion"]);
  });

  it("are derived from the text of the template", () => {
    expect(of("{{ range .Messages }}{{ .Thinking }}{{ end }}{{ .Tools }}")).toEqual([
      "completion",
      "tools",
    ]);
    const thinking = "{{ range .Messages }}<think>{{ .Thinking }}</think>{{ end }}";
    expect(of(thinking)).toEqual(["completion", "thinking"]);
    expect(of("{{ .Prompt }}{{ .Suffix }}")).toEqual(["completion", "insert"]);
    expect(of(undefined, "{% if tools %}<think></think>{% endif %}")).toEqual([
      "completion",
      "tools",
      "thinking",
    ]);
  });

  it("are derived from the model's files", () => {
    expect(of(go, undefined, { hasVision: true })).toEqual(["completion", "vision"]);
  });
});

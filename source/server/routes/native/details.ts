// List details of a model, under Ollama's names.
import type { ModelDetails } from "../../../store/library/model-details.ts";

export function detailsRecord(details: ModelDetails): Record<string, unknown> {
  return {
    parent_model: "",
    format: details.format,
    family: details.family,
    families: details.families,
    parameter_size: details.parameterSize,
    quantization_level: details.quantizationLevel,
    context_length: details.contextLength,
    embedding_length: details.embeddingLength,
  };
}

// The types that weights can be quantized to.

import { quoteShort } from "../../base/display-text.ts";
import { nearestName } from "../../base/nearest-name.ts";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";

// Types of llama-quantize that need no importance matrix
// (https://github.com/ggml-org/llama.cpp/blob/master/tools/quantize/README.md).
const types = [
  "Q2_K",
  "Q3_K_S",
  "Q3_K_M",
  "Q3_K_L",
  "Q4_0",
  "Q4_1",
  "Q4_K_S",
  "Q4_K_M",
  "IQ4_XS",
  "IQ4_NL",
  "Q5_0",
  "Q5_1",
  "Q5_K_S",
  "Q5_K_M",
  "Q6_K",
  "Q8_0",
  "F16",
  "BF16",
  "F32",
];

/**
 * @param text in any letter case
 * @returns the type as llama-quantize writes it
 * @throws ProductError `STORE_QUANTIZATION_UNKNOWN`
 */
export function parseQuantizationType(text: string): string {
  const wanted = text.trim().toUpperCase();
  if (types.includes(wanted)) return wanted;
  const nearest = nearestName(wanted, types);
  throw new ProductError(storeErrors.quantizationUnknown, {
    message: `unknown type ${quoteShort(text)}: weights cannot be quantized to it.`,
    hint: nearest === undefined ? `Use one of ${types.join(", ")}.` : `Did you mean ${nearest}?`,
    param: "quantize",
  });
}

// Reference to a script: `deploy.py::serve`, or `deploy.py` when it has one decorated object.
import path from "node:path";
import { quoteShort } from "../../base/display-text.ts";
import { ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";

export interface ScriptReference {
  /** File as typed. */
  file: string;
  /** Name after `::`. */
  target: string | undefined;
}

/** @throws ProductError `CLOUD_SCRIPT_MISSING` for text that names no script */
export function readScriptReference(text: string): ScriptReference {
  const split = text.indexOf("::");
  const file = split === -1 ? text : text.slice(0, split);
  const target = split === -1 ? undefined : text.slice(split + 2);
  if (path.extname(file) !== ".py") {
    throw unreadable(text, "is not a Python script");
  }
  if (target !== undefined && !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(target)) {
    throw unreadable(text, "does not name a function after ::");
  }
  return { file, target };
}

function unreadable(text: string, fault: string): ProductError {
  return new ProductError(cloudErrors.scriptMissing, {
    message: `${quoteShort(text, 200)} ${fault}.`,
    hint: "Name a file and a function in it, such as deploy.py::serve.",
  });
}

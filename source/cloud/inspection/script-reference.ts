// How a script is named: `deploy.py::serve`, or `deploy.py` when one object in it is decorated.
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { quoteShort } from "../../base/seen-text.ts";
import { cloudErrors } from "../errors.ts";

export interface ScriptReference {
  /** As it was typed. */
  file: string;
  /** The name behind `::`. */
  target: string | undefined;
}

/** @throws ProductError `CLOUD_SCRIPT_MISSING` for a text that names no script */
export function readScriptReference(text: string): ScriptReference {
  const split = text.indexOf("::");
  const file = split === -1 ? text : text.slice(0, split);
  const target = split === -1 ? undefined : text.slice(split + 2);
  if (path.extname(file) !== ".py") {
    throw unreadable(text, "is no script of Python");
  }
  if (target !== undefined && !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(target)) {
    throw unreadable(text, "does not name a function behind ::");
  }
  return { file, target };
}

function unreadable(text: string, fault: string): ProductError {
  return new ProductError(cloudErrors.scriptMissing, {
    message: `${quoteShort(text, 200)} ${fault}.`,
    hint: "Name a file and the function in it: deploy.py::serve.",
  });
}

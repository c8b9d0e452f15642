// deployctl tls trust: the certificate authority that callers must trust.
import { existsSync } from "node:fs";
import { authorityFile } from "../../../application/cloud-host/cloud-server.ts";
import { ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../../cloud/errors.ts";
import type { Run } from "../../program/definition.ts";
import { printAnswer } from "../print.ts";
import { openSession } from "../session.ts";
import type { tlsCommand } from "./settings.definition.ts";

export const tlsTrust: Run<typeof tlsCommand.tlsTrust> = async (_words, flags) => {
  const file = authorityFile(openSession(flags).stateFolder);
  if (!existsSync(file)) {
    throw new ProductError(cloudErrors.certificateMissing, {
      message: "This server has no certificate authority.",
      hint: "Create one with: deployctl up --tls self-signed",
    });
  }
  printAnswer(flags, {
    document: { file },
    text: `${file}

  curl --cacert ${file} …
  export NODE_EXTRA_CA_CERTS=${file}      # Node, and OpenAI's client in it
  export SSL_CERT_FILE=${file}            # Python
`,
    names: [file],
  });
};

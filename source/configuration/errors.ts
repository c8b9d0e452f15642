// Every error about settings and addresses.
import { type ErrorDefinition, exitCodes } from "../base/product-error.ts";

export const configurationErrors = {
  settingInvalid: {
    code: "CONFIGURATION_SETTING_INVALID",
    status: 500,
    exitCode: exitCodes.usage,
    description:
      "A flag, an environment variable or the configuration file holds an unusable value.",
  },
  fileInvalid: {
    code: "CONFIGURATION_FILE_INVALID",
    status: 500,
    exitCode: exitCodes.usage,
    description: "The configuration file cannot be read as TOML.",
  },
  profileUnknown: {
    code: "CONFIGURATION_PROFILE_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "There is no profile of this name.",
  },
  stateUnwritable: {
    code: "CONFIGURATION_STATE_UNWRITABLE",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "The folder for logs and the server's address cannot be written.",
  },
} as const satisfies Record<string, ErrorDefinition>;

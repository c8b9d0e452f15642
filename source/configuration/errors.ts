// Errors about settings, profiles and the state folder.
import { type ErrorDefinition, exitCodes } from "../base/product-error.ts";

export const configurationErrors = {
  settingInvalid: {
    code: "CONFIGURATION_SETTING_INVALID",
    status: 500,
    exitCode: exitCodes.usage,
    description: "A flag, an environment variable or the configuration file has an invalid value.",
  },
  fileInvalid: {
    code: "CONFIGURATION_FILE_INVALID",
    status: 500,
    exitCode: exitCodes.usage,
    description: "The configuration file is not valid TOML.",
  },
  profileUnknown: {
    code: "CONFIGURATION_PROFILE_UNKNOWN",
    status: 404,
    exitCode: exitCodes.notFound,
    description: "No profile with this name exists.",
  },
  stateUnwritable: {
    code: "CONFIGURATION_STATE_UNWRITABLE",
    status: 500,
    exitCode: exitCodes.unexpected,
    description: "The state folder, for logs and the server's address, is not writable.",
  },
} as const satisfies Record<string, ErrorDefinition>;

// deployctl login: checks a server's address and admin key, and saves them in a profile.
import path from "node:path";
import { exitCodes } from "../../../base/product-error.ts";
import { AdminClient } from "../../../cloud/admin/admin-client.ts";
import { isLoopback } from "../../../configuration/address.ts";
import {
  profileNameFault,
  readProfiles,
  writeProfiles,
} from "../../../configuration/cloud-profiles.ts";
import { variableOf } from "../../../configuration/cloud-settings.ts";
import { cloudPaths } from "../../../configuration/paths.ts";
import { readSecretLine } from "../../confirm.ts";
import { usageError } from "../../errors.ts";
import { warn } from "../../output.ts";
import type { Run } from "../../program/definition.ts";
import { printAnswer } from "../print.ts";
import { authorityIn, serverUrl } from "../target.ts";
import type { loginDefinition } from "./settings.definition.ts";

export const login: Run<typeof loginDefinition> = async ([address], flags) => {
  const url = serverUrl(address);
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:" && !isLoopback(hostname.replace(/^\[|\]$/g, ""))) {
    warn("The address is plain HTTP: the key is sent unencrypted.");
  }
  const name = flags.profile ?? hostname.replaceAll(/[^A-Za-z0-9._-]/g, "-");
  const fault = profileNameFault(name);
  if (fault !== undefined) throw usageError(`A profile's name ${fault}.`, "Use --profile NAME.");
  const key =
    flags.key ?? (process.env[variableOf("key")] || (await readSecretLine("Admin key: ")));
  const ca = flags.ca === undefined ? undefined : path.resolve(flags.ca);
  const client = new AdminClient({ url, key, certificateAuthority: ca && authorityIn(ca) });
  const { organisation, version } = await client.status();
  const { profileFile } = cloudPaths();
  const profiles = readProfiles(profileFile);
  profiles.profiles[name] = {
    ...profiles.profiles[name],
    server: url,
    key,
    ...(ca !== undefined && { ca }),
  };
  profiles.current = name;
  writeProfiles(profileFile, profiles);
  printAnswer(flags, {
    document: { profile: name, server: url, organisation, version },
    text: `profile ${name} now uses ${url} (organisation ${organisation}) and is the current profile\n`,
    names: [name],
  });
  return exitCodes.ok;
};

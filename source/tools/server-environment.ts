// Variables of this program that tool servers and commands get: no others, which may be secret.

/** Variables that a server gets besides its own: programs such as npx and uvx need no more. */
const passedOn = [
  ...["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USER", "SHELL"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"],
  ...["http_proxy", "https_proxy", "no_proxy", "all_proxy"],
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"],
  // Windows programs do not start without these.
  ...["SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "TEMP", "PATHEXT", "COMSPEC"],
];

/** Returns the variables that a tool server or a command gets of this program's. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

// Service files for systemd and launchd that run deployctl's server.
import { inheritedVariables } from "../../cloud/inherited-variables.ts";

export interface ServiceProgram {
  /** Absolute path of the program, then its arguments. */
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  logFile: string;
}

/** Name of the service: of the systemd unit without its suffix, and the label of the launchd agent. */
export const serviceName = "deployctl";

/** Longer than the server waits for running requests. */
const stopTimeoutSeconds = 120;

/** Kept XDG variables; others belong to a login. */
const folderVariables = /^XDG_(?:CONFIG|DATA|STATE|CACHE)_HOME$/;
/** Set by the service manager, or of a login. */
const ownVariables = /^(?:HOME|USER|TMPDIR)$/;

/** A URL with a password, or a control character. */
const unusableValue = /:\/\/[^/]*@|\p{Cc}/u;

/**
 * Returns the variables for the service: those that replicas inherit, without those of a login and
 * without URLs that contain a password.
 */
export function serviceEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const chosen: Record<string, string> = {};
  for (const [name, value = ""] of Object.entries(inheritedVariables(environment))) {
    const isOfLogin = name.startsWith("XDG_") && !folderVariables.test(name);
    if (isOfLogin || ownVariables.test(name) || unusableValue.test(value)) continue;
    chosen[name] = value;
  }
  return chosen;
}

/** Returns a user unit of systemd (https://www.freedesktop.org/software/systemd/man/systemd.service.html). */
export function systemdUnit({ command, environment, logFile }: ServiceProgram): string {
  const [program = "", ...words] = command;
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${quoted(`${name}=${value}`)}\n`,
  );
  return `# Written by deployctl service install.
[Unit]
Description=deployctl server

[Service]
Type=exec
ExecStart=${[quoted(program), ...words.map((word) => quoted(word.replaceAll("$", "$$$$")))].join(" ")}
${variables.join("")}StandardOutput=append:${percentDoubled(logFile)}
StandardError=inherit
Restart=on-failure
RestartSec=2
# Wrong arguments stay wrong.
RestartPreventExitStatus=2
# Only the supervisor gets signals: it stops the others once running requests have ended, and a new one
# takes them over when it dies.
KillMode=process
TimeoutStopSec=${stopTimeoutSeconds}
# A replica that needs too much memory must not end the server.
OOMPolicy=continue

[Install]
WantedBy=default.target
`;
}

/** Returns an agent of launchd, as in `man launchd.plist`. */
export function launchAgent({ command, environment, logFile }: ServiceProgram): string {
  const words = command.map((word) => `    <string>${escapedXml(word)}</string>\n`);
  const variables = Object.entries(environment).map(
    ([name, value]) =>
      `    <key>${escapedXml(name)}</key>\n    <string>${escapedXml(value)}</string>\n`,
  );
  const log = `<string>${escapedXml(logFile)}</string>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by deployctl service install. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${serviceName}</string>
  <key>ProgramArguments</key>
  <array>
${words.join("")}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join("")}  </dict>
  <key>StandardOutPath</key>
  ${log}
  <key>StandardErrorPath</key>
  ${log}
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>${stopTimeoutSeconds}</integer>
</dict>
</plist>
`;
}

/** Quotes a word for a systemd file, with C escapes, and without specifiers such as %h. */
function quoted(word: string): string {
  const escaped = word.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n");
  return `"${percentDoubled(escaped)}"`;
}

function percentDoubled(text: string): string {
  return text.replaceAll("%", "%%");
}

function escapedXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The text of a systemd unit that runs a GPU host. */

export interface SystemdUnit {
  readonly scope: 'user' | 'system';
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly dataFolder: string;
  /** Who a unit of the system runs as. */
  readonly user: string;
  /** Variables by which the launchers are found, and what they need. */
  readonly env: Readonly<Record<string, string>>;
}

export const unitName = 'agentjet-host.service';

/** A file beside the data that the owner may write, with variables for the runs, keys among them. */
export const environmentFile = 'environment';

/**
 * Little is closed off: training loads kernel modules by setuid helpers, compiles code that it then runs, shares memory,
 * and starts Ray in /tmp, where others look for it.
 */
export function systemdUnit({ scope, command, dataFolder, user, env }: SystemdUnit): string {
  const isSystem = scope === 'system';
  const [program = '', ...args] = command;
  return `# Written by agentjet host install, which writes it anew.
[Unit]
Description=AgentJet GPU host
${isSystem ? 'Wants=network-online.target\nAfter=network-online.target\n' : ''}StartLimitIntervalSec=0

[Service]
Type=exec
${isSystem ? `User=${literal(user)}\n` : ''}ExecStart=${[program, ...args].map(commandWord).join(' ')}
WorkingDirectory=${literal(dataFolder)}
${Object.entries(env)
  .map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}\n`)
  .join('')}EnvironmentFile=-${literal(`${dataFolder}/${environmentFile}`)}
Restart=always
RestartSec=2
# Runs outlive their host: it alone is ended, and one of them that takes all memory does not take it along.
KillMode=process
OOMPolicy=continue
TimeoutStopSec=30
LimitNOFILE=1048576
LimitMEMLOCK=infinity
TasksMax=infinity
${isSystem ? `ProtectSystem=full\nProtectControlGroups=yes\nReadWritePaths=${quoted(dataFolder)}\n` : ''}
[Install]
WantedBy=${isSystem ? 'multi-user.target' : 'default.target'}
`;
}

/** For settings that are one text: only what systemd itself would replace is escaped. */
function literal(text: string): string {
  return text.replaceAll('%', '%%');
}

function quoted(text: string): string {
  return `"${literal(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** In a command line `$` is systemd's as well. */
function commandWord(word: string): string {
  const text = quoted(word).replaceAll('$', '$$$$');
  return /^"[\w./:=@-]+"$/.test(text) ? text.slice(1, -1) : text;
}

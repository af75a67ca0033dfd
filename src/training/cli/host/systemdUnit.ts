export interface SystemdUnit {
  readonly scope: 'user' | 'system';
  readonly command: readonly string[];
  readonly dataFolder: string;
  /** The user of a system unit. */
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
}

export const unitName = 'agentjet-host.service';
/** The name of a file in the data folder in which the owner sets variables for the runs, such as keys. */
export const environmentFile = 'environment';

/** The sandbox is weak: training loads kernel modules with setuid helpers, compiles code, shares memory, and uses /tmp. */
export function systemdUnit({ scope, command, dataFolder, user, env }: SystemdUnit): string {
  const isSystem = scope === 'system';
  const [program = '', ...args] = command;
  return `# Written by agentjet host install, which overwrites it.
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
# Runs outlive the host: systemd stops only the host, which also survives a run that uses all memory.
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

/** Escapes a setting with one value, in which systemd replaces only `%`. */
function literal(text: string): string {
  return text.replaceAll('%', '%%');
}

function quoted(text: string): string {
  return `"${literal(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** Quotes a word of a command line, in which systemd also replaces `$`. */
function commandWord(word: string): string {
  const text = quoted(word).replaceAll('$', '$$$$');
  return /^"[\w./:=@-]+"$/.test(text) ? text.slice(1, -1) : text;
}

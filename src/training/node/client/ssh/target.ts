import { CodedError } from '../../../../base/core/errors.ts';

/** An SSH destination: a machine, or an alias from the SSH config of the user. */
export interface SshTarget {
  readonly user: string | undefined;
  readonly host: string;
  readonly port: number | undefined;
}

/** Returns whether an address is for SSH: `ssh:…`, `HOST` or `USER@HOST`. */
export function isSshAddress(address: string): boolean {
  return address.startsWith('ssh:') || bareName.test(address);
}

const bareName = /^(?:[A-Za-z0-9_][\w.-]*@)?[A-Za-z0-9][\w.-]*$/;

/**
 * Parses `ssh:HOST`, `ssh:USER@HOST:PORT` (also with `//`), `HOST` or `USER@HOST`. Throws for text that ssh could
 * misread.
 */
export function sshTarget(address: string): SshTarget {
  const whole = bareName.test(address) ? `ssh:${address}` : address;
  const parts =
    /^ssh:(?:\/\/)?(?:([A-Za-z0-9_][\w.-]*)@)?([A-Za-z0-9][\w.-]*|\[[\da-fA-F:]+\])(?::(\d{1,5}))?$/.exec(
      whole,
    );
  const [, user, host, digits] = parts ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (host === undefined || (port !== undefined && (port === 0 || port > 65_535))) throw badAddress(address);
  return { user, host: host.replace(/^\[|\]$/g, ''), port };
}

export function sshAddress({ user, host, port }: SshTarget): string {
  const machine = host.includes(':') ? `[${host}]` : host;
  return `ssh:${user === undefined ? '' : `${user}@`}${machine}${port === undefined ? '' : `:${port}`}`;
}

/** The command, which a remote shell reads, contains no user input. */
export function sshArguments(
  { user, host, port }: SshTarget,
  {
    asks,
    options = [],
    command,
  }: { readonly asks: boolean; readonly options?: readonly string[]; readonly command: string },
): string[] {
  return [
    ...['-T', '-o', 'ConnectTimeout=15', '-o', 'ServerAliveInterval=15', '-o', 'ServerAliveCountMax=3'],
    ...(asks ? [] : ['-o', 'BatchMode=yes']),
    ...options,
    ...(port === undefined ? [] : ['-p', String(port)]),
    '--',
    user === undefined ? host : `${user}@${host}`,
    command,
  ];
}

function badAddress(address: string): CodedError {
  return new CodedError({
    code: 'ssh/address',
    message: `${JSON.stringify(address.slice(0, 100))} is not a valid SSH address.`,
    hint: 'Write it as ssh:USER@HOST or ssh:USER@HOST:PORT.',
  });
}

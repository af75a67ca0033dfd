import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseJson } from '../../../../base/core/parseJson.ts';
import { CodedError, messageOf } from '../../../../base/core/errors.ts';
import { sshAnswer, sshMark, type SshAnswer, type SshRequest } from '../../../core/protocol/sshHost.ts';
import { sshArguments, type SshTarget, sshAddress } from './target.ts';

/** Messages of ssh if the machine answers but rejects the login, so that a retry does not help. */
const refusals = /permission denied|verification failed|authentication failures/i;

export const sshErrors = {
  missing: (command: string, cause: unknown) =>
    new CodedError({
      code: 'ssh/missing',
      message: `Cannot start ${command}: ${messageOf(cause)}.`,
      hint: 'Install an OpenSSH client, or set the variable AGENTJET_SSH to one.',
      cause,
    }),
  failed: (target: SshTarget, stderr: string) =>
    new CodedError({
      code: refusals.test(stderr) ? 'ssh/refused' : 'ssh/failed',
      message: `Cannot connect to ${sshAddress(target)}: ${stderr === '' ? 'ssh ended without a message' : stderr}.`,
      hint: 'Check that ssh connects without a prompt: with a key or an agent, and with the machine in known_hosts.',
    }),
  noNode: (target: SshTarget) =>
    new CodedError({
      code: 'ssh/no-node',
      message: `Node.js 22.18 or later is not installed on ${sshAddress(target)}.`,
      hint: 'Install it there: on PATH, with nvm, fnm or Volta, or in ~/.local/bin.',
    }),
  noAnswer: (target: SshTarget, stderr: string) =>
    new CodedError({
      code: 'ssh/no-answer',
      message: `The host program on ${sshAddress(target)} did not respond${stderr === '' ? '' : `: ${stderr}`}.`,
      hint: 'To see the error, run `node ~/.agentjet/program/host-….cjs --help` on the machine.',
    }),
  cutOff: (target: SshTarget) =>
    new CodedError({
      code: 'ssh/cut-off',
      message: `The host program was not copied completely to ${sshAddress(target)}.`,
      hint: 'Check that its disk has free space, then try again.',
    }),
};

export interface SshOptions {
  /** The ssh command of the user: a name on PATH or a path. */
  readonly ssh: string;
  readonly program: string;
  /** True if ssh may prompt for a password. */
  readonly asks: boolean;
  readonly ask: SshRequest;
  readonly onProgress: (text: string) => void;
}

export type StartedSshHost = Exclude<SshAnswer, { readonly error: unknown }>;

/**
 * Starts a host on a machine, for the user of the SSH login. Copies the program there if it is missing.
 * The host outlives the connection. Rejects with `ssh/…` and the errors of the program.
 */
export async function startOverSsh(target: SshTarget, options: SshOptions): Promise<StartedSshHost> {
  const program = await readFile(options.program);
  const name = `host-${createHash('sha256').update(program).digest('hex').slice(0, 32)}.cjs`;
  const script = startScript(name, options.ask);
  const first = await run(target, options, { command: 'exec sh -s', input: script });
  if (!first.stdout.includes(`${sshMark}missing`)) return hostFrom(target, first);
  options.onProgress('Copying the host program.');
  await upload(target, options, name, program);
  return hostFrom(target, await run(target, options, { command: 'exec sh -s', input: script }));
}

/** Locations of Node.js that are not on PATH in a non-login shell. */
const nodes = [
  '"$(command -v node || :)"',
  ...[
    '.local/bin',
    '.volta/bin',
    '.nvm/versions/node/*/bin',
    '.local/share/fnm/node-versions/*/installation/bin',
  ].map((folder) => `"$HOME"/${folder}/node`),
  ...['/usr/local/bin/node', '/usr/bin/node', '/opt/*/bin/node'],
];

/**
 * Returns the script for `sh -s`. The request is one line of a here-document without expansion, which an
 * unpredictable word ends.
 */
function startScript(name: string, ask: SshRequest): string {
  const end = `end-${randomBytes(16).toString('hex')}`;
  const isNewEnough =
    'var v = process.versions.node.split("."); process.exit(+v[0] > 22 || (+v[0] === 22 && +v[1] >= 18) ? 0 : 1)';
  return [
    `program="$HOME/.agentjet/program/${name}"`,
    `if [ ! -f "$program" ]; then echo '${sshMark}missing'; exit 0; fi`,
    `for node in ${nodes.join(' ')}; do`,
    '[ -x "$node" ] || continue',
    `"$node" -e '${isNewEnough}' || continue`,
    `"$node" "$program" detach <<'${end}'`,
    JSON.stringify(ask),
    end,
    'exit',
    'done',
    `echo '${sshMark}no-node'`,
    '',
  ].join('\n');
}

/** Uploads the program. It has a temporary name until it is complete. */
async function upload(target: SshTarget, options: SshOptions, name: string, program: Buffer): Promise<void> {
  const part = `${name}.${randomBytes(4).toString('hex')}.part`;
  const command = `exec sh -c 'umask 077; cd && mkdir -p .agentjet/program && cd .agentjet/program && cat > ${part} && [ "$(wc -c < ${part})" -eq ${program.length} ] && mv -f ${part} ${name} && echo ${sshMark}whole'`;
  const { stdout } = await run(target, options, { command, input: program });
  if (!stdout.includes(`${sshMark}whole`)) throw sshErrors.cutOff(target);
}

function hostFrom(target: SshTarget, { stdout, stderr }: CommandOutput): StartedSshHost {
  const line = stdout
    .split('\n')
    .findLast((one) => one.startsWith(sshMark))
    ?.slice(sshMark.length);
  if (line === 'no-node') throw sshErrors.noNode(target);
  const answer = sshAnswer.safeParse(parseJson(line ?? '')).data;
  if (answer === undefined) throw sshErrors.noAnswer(target, lastLine(stderr));
  if ('error' in answer) throw new CodedError(answer.error);
  return answer;
}

interface CommandOutput {
  readonly stdout: string;
  readonly stderr: string;
}

/** The exit code of ssh for its own failures. Any other code is that of the command. */
const sshFailed = 255;

function run(
  target: SshTarget,
  { ssh, asks }: SshOptions,
  { command, input }: { readonly command: string; readonly input: string | Buffer },
): Promise<CommandOutput> {
  return new Promise((resolve, reject) => {
    const child = spawn(ssh, sshArguments(target, { asks, command }), { stdio: ['pipe', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    child.once('error', (error) => reject(sshErrors.missing(ssh, error)));
    child.once('close', (code) => {
      if (code === sshFailed || code === null) reject(sshErrors.failed(target, lastLine(output.stderr)));
      else resolve(output);
    });
    child.stdin.on('error', () => undefined); // it may end before it has read all input
    child.stdin.end(input);
  });
}

export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim().replace(/\.$/, '') ?? '';
}

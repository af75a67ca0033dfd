import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CodedError } from '../../../../base/core/errors.ts';
import { sshAnswer, sshMark, type SshAnswer, type SshRequest } from '../../../core/protocol/sshHost.ts';
import { sshErrors } from './errors.ts';
import { sshArguments, type SshTarget } from './target.ts';

export interface SshOptions {
  /** The user's own ssh, a name on PATH or a path. */
  readonly ssh: string;
  /** The host in one file, on this machine. */
  readonly program: string;
  /** Whether a person is there to be asked for a password. */
  readonly asks: boolean;
  readonly ask: SshRequest;
  readonly onProgress: (text: string) => void;
}

export type SshHostPlace = Exclude<SshAnswer, { readonly error: unknown }>;

/**
 * Has a host run on a machine, for the user that ssh comes in as: brings the program there if it lacks, once, and starts it
 * where none runs. It goes on when the connection ends. Rejects with `ssh/…` and what the program itself reports.
 */
export async function startOverSsh(target: SshTarget, options: SshOptions): Promise<SshHostPlace> {
  const program = await readFile(options.program);
  const name = `host-${createHash('sha256').update(program).digest('hex').slice(0, 32)}.cjs`;
  const script = startScript(name, options.ask);
  const first = await run(target, options, { command: 'exec sh -s', input: script });
  if (!first.stdout.includes(`${sshMark}lacks`)) return placeOf(target, first);
  options.onProgress('The program of the host is sent.');
  await upload(target, options, name, program);
  return placeOf(target, await run(target, options, { command: 'exec sh -s', input: script }));
}

/** Places of a Node that a shell which is nobody's login shell does not find by itself. */
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
 * For `sh -s`. What is asked stands in it as a text of one line that no shell looks into, ended by a word that nobody could
 * know before.
 */
function startScript(name: string, ask: SshRequest): string {
  const end = `end-${randomBytes(16).toString('hex')}`;
  return `program="$HOME/.agentjet/program/${name}"
if [ ! -f "$program" ]; then echo '${sshMark}lacks'; exit 0; fi
for node in ${nodes.join(' ')}; do
  [ -x "$node" ] || continue
  "$node" -e 'var v = process.versions.node.split("."); process.exit(+v[0] > 22 || (+v[0] === 22 && +v[1] >= 18) ? 0 : 1)' || continue
  "$node" "$program" detach <<'${end}'
${JSON.stringify(ask)}
${end}
  exit
done
echo '${sshMark}no-node'
`;
}

/** Under another name until it is whole. */
async function upload(target: SshTarget, options: SshOptions, name: string, program: Buffer): Promise<void> {
  const part = `${name}.${randomBytes(4).toString('hex')}.part`;
  const command = `exec sh -c 'umask 077; cd && mkdir -p .agentjet/program && cd .agentjet/program && cat > ${part} && [ "$(wc -c < ${part})" -eq ${program.length} ] && mv -f ${part} ${name} && echo ${sshMark}whole'`;
  const { stdout } = await run(target, options, { command, input: program });
  if (!stdout.includes(`${sshMark}whole`)) throw sshErrors.cutOff(target);
}

function placeOf(target: SshTarget, { stdout, stderr }: Ended): SshHostPlace {
  const line = stdout
    .split('\n')
    .findLast((one) => one.startsWith(sshMark))
    ?.slice(sshMark.length);
  if (line === 'no-node') throw sshErrors.noNode(target);
  const answer = sshAnswer.safeParse(parsed(line ?? '')).data;
  if (answer === undefined) throw sshErrors.noAnswer(target, lastLine(stderr));
  if ('error' in answer) throw new CodedError(answer.error);
  return answer;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
}

/** ssh's own failures end it with this; else its exit code is the command's. */
const sshFailed = 255;

function run(
  target: SshTarget,
  { ssh, asks }: SshOptions,
  { command, input }: { readonly command: string; readonly input: string | Buffer },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(ssh, sshArguments(target, { asks, command }), { stdio: ['pipe', 'pipe', 'pipe'] });
    const told = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (told.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (told.stderr += text));
    child.once('error', (error) => reject(sshErrors.missing(ssh, error)));
    child.once('close', (code) => {
      if (code === sshFailed || code === null) reject(sshErrors.failed(target, lastLine(told.stderr)));
      else resolve(told);
    });
    child.stdin.on('error', () => undefined); // it may end before it has read everything
    child.stdin.end(input);
  });
}

export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim().replace(/\.$/, '') ?? '';
}

/** What the editor keeps of GPU hosts, in memory, and an ssh that does as a test says. */
import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type * as vscode from 'vscode';
import { Emitter } from '../../../../src/base/core/event.ts';
import { KnownHosts } from '../../../../src/training/editor/knownHosts.ts';
import { temporaryFolder } from '../client/wire/wireHost.ts';

export function knownHosts(): KnownHosts {
  const kept = new Map<string, unknown>();
  const state: vscode.Memento = {
    keys: () => [...kept.keys()],
    get: <T>(key: string, otherwise?: T) => (kept.get(key) ?? otherwise) as T,
    update: (key, value) => Promise.resolve(void kept.set(key, value)),
  };
  const secrets = new Map<string, string>();
  const changed = new Emitter<vscode.SecretStorageChangeEvent>();
  const storage: vscode.SecretStorage = {
    keys: () => Promise.resolve([...secrets.keys()]),
    get: (key) => Promise.resolve(secrets.get(key)),
    store: (key, value) => Promise.resolve(void secrets.set(key, value)),
    delete: (key) => Promise.resolve(void secrets.delete(key)),
    onDidChange: changed.event,
  };
  const hosts = new KnownHosts(state, storage);
  onTestFinished(() => hosts.dispose());
  return hosts;
}

export interface ScriptedSsh {
  /** A file that can be sent as the host's program. */
  readonly program: string;
  /** How often it was called. */
  readonly calls: () => number;
  /** From now on it says this and fails; null: it gets there. */
  fail(saying: string | null): Promise<void>;
}

/** Forwards one socket as `-L` says, until its input ends. */
const forward = `
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
const [, end, host, there] = /-L (\\/[^:]+):([^:]+):(\\d+)/.exec(process.argv.join(' '));
const server = createServer((near) => {
  const far = connect(Number(there), host);
  for (const socket of [near, far]) socket.on('error', () => undefined);
  near.pipe(far).pipe(near);
});
rmSync(end, { force: true });
server.listen(end, () => console.log('agentjet-ready'));
process.stdin.on('end', () => process.exit()).resume();
`;

/**
 * An ssh that leads to a machine where a host runs.
 *
 * @param url of the host there
 */
export async function scriptedSsh(url = 'ws://127.0.0.1:1'): Promise<ScriptedSsh> {
  const folder = temporaryFolder();
  const file = (name: string): string => path.join(folder, name);
  const answer = JSON.stringify({ url, fingerprint: null, id: 'a-host', token: null });
  await writeFile(
    file('ssh'),
    `#!/bin/sh
echo called >> '${file('calls')}'
if [ -s '${file('failure')}' ]; then cat '${file('failure')}' >&2; exit 255; fi
case "$*" in
  *ExitOnForwardFailure*) exec '${process.execPath}' '${file('forward.mjs')}' "$@" ;;
  *) cat > /dev/null; echo 'agentjet-host ${answer}' ;;
esac
`,
  );
  await chmod(file('ssh'), 0o755);
  await writeFile(file('forward.mjs'), forward);
  await writeFile(file('calls'), '');
  await writeFile(file('program'), 'of the host');
  vi.stubEnv('AGENTJET_SSH', file('ssh'));
  return {
    program: file('program'),
    calls: () => readFileSync(file('calls'), 'utf8').split('\n').length - 1,
    fail: (saying) => writeFile(file('failure'), saying ?? ''),
  };
}

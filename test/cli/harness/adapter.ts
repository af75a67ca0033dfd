import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { inject, onTestFinished } from 'vitest';
import { DapClient } from '../../unit/debugging/dapClient.ts';
import { descendants } from './processes.ts';

/** The built adapter as a process of its own, and a client at its standard streams. It is killed at the end of the test. */
export class RunningAdapter {
  readonly client = new DapClient();
  readonly child: ChildProcessWithoutNullStreams;
  /** Exit code and signal. */
  readonly exited: Promise<unknown[]>;

  constructor() {
    const script = path.join(inject('dist'), 'debugAdapter.js');
    this.child = spawn(process.execPath, [script], { env: { ...process.env, OPENAI_API_KEY: undefined } });
    this.exited = once(this.child, 'exit');
    this.client.toAdapter.pipe(this.child.stdin);
    this.child.stdout.pipe(this.client.fromAdapter);
    this.child.stdin.on('error', () => undefined); // a test that kills it may write to it still
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  /** The processes of its run. */
  processes(): readonly number[] {
    if (this.child.pid === undefined) throw new Error('The adapter did not start.');
    return descendants(this.child.pid);
  }

  /** What `initialize` and `launch` are in any client; resolves to the answer to `launch`. */
  async launch(attributes: object, clientCapabilities: object = {}) {
    await this.client.request('initialize', {
      adapterID: 'agentjet',
      pathFormat: 'path',
      ...clientCapabilities,
    });
    await this.client.event('initialized');
    const launched = this.client.request('launch', { type: 'agentjet', ...attributes });
    await this.client.request('configurationDone');
    return launched;
  }

  /** Everything that was sent as output, of these categories. */
  output(...categories: readonly string[]): string {
    return this.client.messages
      .filter(({ event, body }) => event === 'output' && categories.includes(String(body?.['category'])))
      .map(({ body }) => body?.['output'])
      .join('');
  }

  /** The first match in what is, or will be, output of any category. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    const match = () => pattern.exec(this.output('console', 'stdout', 'stderr'));
    await this.client.until(() => match() !== null);
    const found = match();
    if (found === null) throw new Error('What was printed stays printed.');
    return found;
  }
}

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import process from 'node:process';
import type { SshStart } from '../node/client/sshStart.ts';
import type { SshHost } from '../node/client/ssh/sshHost.ts';

const plain: SshStart = { launchers: {}, gpus: null, ray: null };

/** Hosts that are reached by the user's own ssh, which asks nobody here: keys or an agent have to do. */
export class SshTunnels {
  readonly #program: string;
  readonly #log: (text: string) => void;

  /** @param program the host in one file, which is brought there */
  constructor(program: string, log: (text: string) => void) {
    this.#program = program;
    this.#log = log;
  }

  /**
   * Has a host run there and opens a way to it.
   *
   * @param token the name of a token that is to be made; null: none
   * @param start for a host that is to be started there; one that runs stays as it is
   */
  async open(address: string, token: string | null, start: SshStart = plain): Promise<SshHost> {
    const { openSshHost } = await import('../node/client/ssh/sshHost.ts');
    const { sshTarget } = await import('../node/client/ssh/target.ts');
    return openSshHost(sshTarget(address), {
      ssh: process.env['AGENTJET_SSH'] ?? 'ssh',
      program: this.#program,
      asks: false,
      ask: { token, ...start },
      onProgress: this.#log,
    });
  }

  /** A token of a name that no other editor has taken. */
  async token(address: string, start?: SshStart): Promise<string | null> {
    const name = `${hostname()
      .replaceAll(/[^A-Za-z0-9]+/g, '-')
      .replace(/^-+/, '')
      .slice(0, 25)}-vscode`;
    const unique = `${name}-${randomBytes(3).toString('hex')}`.replace(/^-/, 'x');
    const tunnel = await this.open(address, unique, start);
    tunnel.dispose();
    return tunnel.token;
  }
}

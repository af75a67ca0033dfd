import { hostname } from 'node:os';
import process from 'node:process';
import type { HostStart } from '../core/protocol/sshHost.ts';
import type { SshHost } from '../node/client/ssh/sshHost.ts';

const plain: HostStart = { launchers: {}, gpus: null, ray: null };

/** Opens tunnels with the ssh program of the user. It runs without prompts: authentication needs keys or an agent. */
export class SshTunnels {
  readonly #program: string;
  readonly #log: (text: string) => void;

  /** @param program the bundled host program, which is copied to the remote machine */
  constructor(program: string, log: (text: string) => void) {
    this.#program = program;
    this.#log = log;
  }

  /**
   * @param token the name of the token to create; null for none
   * @param start options for a host that is started; a running host keeps its options
   */
  async open(address: string, token: string | null, start: HostStart = plain): Promise<SshHost> {
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

  /** Creates a token on the host, which makes its name unique. */
  async token(address: string, start?: HostStart): Promise<string | null> {
    const machine = hostname().replaceAll(/[^A-Za-z0-9]+/g, '-');
    const name = `${machine.replace(/^-+/, '').slice(0, 25)}-vscode`.replace(/^-/, 'x');
    const tunnel = await this.open(address, name, start);
    tunnel.dispose();
    return tunnel.token;
  }
}

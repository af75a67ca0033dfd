import { describe, expect, it, onTestFinished } from 'vitest';
import { HostClients } from '../../../../src/training/editor/hostClients.ts';
import type { KnownHosts } from '../../../../src/training/editor/knownHosts.ts';
import { SshTunnels } from '../../../../src/training/editor/sshTunnels.ts';
import { FakeClock } from '../../fakeClock.ts';
import { knownHosts, scriptedSsh } from './editorHosts.ts';

const box = { name: 'box', url: 'ssh:ada@box' };
const noNetwork = 'ssh: connect to host box port 22: Network is unreachable';

interface Seen {
  readonly links: HostClients;
  readonly clock: FakeClock;
  /** Resolves once that is so; what is known is looked at after every change. */
  readonly until: (isSo: () => boolean) => Promise<void>;
}

/** Links whose hosts somebody looks at again at every change, as the view does. */
function seen(hosts: KnownHosts, program: string): Seen {
  const clock = new FakeClock();
  const links = new HostClients(hosts, new SshTunnels(program, () => undefined), clock, '0');
  onTestFinished(() => links.dispose());
  const look = (): void => {
    for (const host of hosts.list()) void links.tryConnect(host);
  };
  links.onChanged(look);
  look();
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const listening = links.onChanged(() => {
        if (!isSo()) return;
        listening.dispose();
        resolve();
      });
      if (!isSo()) return;
      listening.dispose();
      resolve();
    });
  return { links, clock, until };
}

describe('a host that ssh does not reach', () => {
  it('is tried again by itself, ever more seldom, until it is reached', async () => {
    const ssh = await scriptedSsh();
    await ssh.fail(noNetwork);
    const hosts = knownHosts();
    await hosts.add(box, 'its token');
    const { links, clock, until } = seen(hosts, ssh.program);
    const failedAt = (): number | null => links.problem('box')?.retryAt ?? null;
    const waits: number[] = [];
    for (const calls of [1, 2, 3, 4, 5, 6, 7]) {
      await until(() => (failedAt() ?? 0) > clock.now());
      expect(links.problem('box')?.report.message).toContain('Network is unreachable');
      expect(ssh.calls()).toBe(calls);
      const wait = (failedAt() ?? 0) - clock.now();
      waits.push(wait);
      if (calls < 7) clock.advance(wait);
    }
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    await ssh.fail(null);
    clock.advance(60_000);
    await until(() => links.peek('box') !== undefined);
    expect(links.problem('box')).toBeUndefined();
  });

  it('is left alone for long where the machine refuses who comes', async () => {
    const ssh = await scriptedSsh();
    await ssh.fail('ada@box: Permission denied (publickey).');
    const hosts = knownHosts();
    await hosts.add(box, 'its token');
    const { links, clock, until } = seen(hosts, ssh.program);
    await until(() => links.problem('box') !== undefined);
    expect(links.problem('box')).toMatchObject({
      report: { code: 'ssh/refused' },
      retryAt: clock.now() + 600_000,
    });
    expect(ssh.calls()).toBe(1);
  });

  it('is tried at once when somebody asks for it, and when a token is entered', async () => {
    const ssh = await scriptedSsh();
    await ssh.fail(noNetwork);
    const hosts = knownHosts();
    await hosts.add(box, 'its token');
    const { links, clock, until } = seen(hosts, ssh.program);
    await until(() => links.problem('box') !== undefined);
    await expect(links.connect(box)).rejects.toMatchObject({ code: 'ssh/failed' });
    expect(ssh.calls()).toBe(2);
    expect(links.problem('box')?.retryAt).toBe(clock.now() + 4_000);
    await ssh.fail(null);
    await hosts.setToken('box', 'another');
    await until(() => links.peek('box') !== undefined);
  });
});

it('a host without a token is told once, until there is one', async () => {
  const ssh = await scriptedSsh();
  const hosts = knownHosts();
  const { links, until } = seen(hosts, ssh.program);
  let changes = 0;
  links.onChanged(() => (changes += 1));
  await expect(links.get(box)).rejects.toMatchObject({ code: 'hosts/no-token' });
  expect(links.problem('box')?.retryAt).toBeNull();
  expect(await links.tryConnect(box)).toBeUndefined();
  expect(changes).toBe(1);
  await hosts.add(box, 'its token');
  await until(() => links.peek('box') !== undefined);
  expect(ssh.calls()).toBeGreaterThan(0);
});

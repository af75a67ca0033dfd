import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KnownHosts } from '../../../../src/training/node/client/knownHosts.ts';

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-hosts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'home');
}

const box = { name: 'box', address: 'wss://box:7788', fingerprint: 'a'.repeat(64), id: '1' };
const local = { name: 'local', address: 'ws://127.0.0.1:7788', id: '2' };

describe('the hosts that a user knows', () => {
  it('are there for whoever looks later, their tokens for their user alone', () => {
    const folder = newFolder();
    new KnownHosts(folder).add(box, 'token-1');
    new KnownHosts(folder).add(local, 'token-2');
    const hosts = new KnownHosts(folder);
    expect(hosts.list()).toEqual([box, local]);
    expect([hosts.get('box'), hosts.tokenOf('box'), hosts.tokenOf('constructor')]).toEqual([
      box,
      'token-1',
      undefined,
    ]);
    for (const file of ['hosts.json', 'host-tokens.json']) {
      expect(statSync(path.join(folder, file)).mode & 0o777).toBe(0o600);
    }
    hosts.remove('box');
    expect([hosts.get(undefined), hosts.tokenOf('box')]).toEqual([local, undefined]);
  });

  it('are chosen by name where there are several, and a name is one host’s', () => {
    const hosts = new KnownHosts(newFolder());
    expect(() => hosts.get(undefined)).toThrow(expect.objectContaining({ code: 'remote/which-host' }));
    hosts.add(box, 't');
    hosts.add(local, 't');
    expect(() => hosts.get(undefined)).toThrow('There are several GPU hosts.');
    expect(() => hosts.get('other')).toThrow(
      expect.objectContaining({ code: 'remote/no-host', hint: 'Known hosts: box, local.' }),
    );
    expect(() => hosts.add(box, 't')).toThrow(expect.objectContaining({ code: 'remote/host-exists' }));
    expect(() => hosts.mustBeFree('../x')).toThrow(expect.objectContaining({ code: 'remote/host-name' }));
  });

  it('that cannot be read are told, and nothing is written over them', () => {
    const folder = newFolder();
    const hosts = new KnownHosts(folder);
    hosts.add(box, 't');
    writeFileSync(path.join(folder, 'hosts.json'), '{');
    expect(() => hosts.add(local, 't')).toThrow(
      expect.objectContaining({
        code: 'remote/hosts-unreadable',
        location: { file: path.join(folder, 'hosts.json') },
      }),
    );
  });
});

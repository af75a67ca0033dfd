/** A certificate of the owner's that an authority vouches for: clients who trust it need no fingerprint. */
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';
import type { HostStatus } from '../../../src/training/core/protocol/hostRpc.ts';
import { gpuMachine, type GpuMachine } from './gpuHost.ts';

interface Files {
  readonly authority: string;
  readonly cert: string;
  readonly key: string;
  /** Of another certificate by the same authority. */
  readonly otherKey: string;
}

/** An authority, and two certificates of it for that address. */
async function certificates({ folder }: GpuMachine, ip: string): Promise<Files> {
  const common = { keyType: 'ec', algorithm: 'sha256' } as const;
  const authority = await generate([{ name: 'commonName', value: 'An authority of tests' }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const leaf = () =>
    generate([{ name: 'commonName', value: 'gpu-box' }], {
      ...common,
      ca: { key: authority.private, cert: authority.cert },
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'extKeyUsage', serverAuth: true },
        { name: 'subjectAltName', altNames: [{ type: 7, ip }] },
      ],
    });
  const { cert, private: key } = await leaf();
  const { private: otherKey } = await leaf();
  const files = { 'ca.pem': authority.cert, 'host.pem': cert, 'host.key': key, 'other.key': otherKey };
  await folder.write(files);
  const [caFile = '', certFile = '', keyFile = '', otherFile = ''] = Object.keys(files).map((name) =>
    folder.path(name),
  );
  return { authority: caFile, cert: certFile, key: keyFile, otherKey: otherFile };
}

const tls = (cert: string, key: string): string[] => [
  '--listen',
  '127.0.0.1:0',
  '--tls-cert',
  cert,
  '--tls-key',
  key,
];

describe.skipIf(process.platform !== 'linux')('a GPU host with a certificate of an authority', () => {
  test('is known by it where the authority is trusted, and nowhere else', async () => {
    const machine = await gpuMachine();
    const { authority, cert, key, otherKey } = await certificates(machine, '127.0.0.1');
    const wrong = await machine.start(['host', ...machine.hostArguments, ...tls(cert, otherKey)]).exited;
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain(`it is not the key of the certificate ${cert}. [host/certificate]`);

    const host = await machine.host(tls(cert, key));
    expect(host.address).toBe(host.url);
    expect(host.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    const input = host.token?.token ?? '';
    const stranger = await machine.remote(['add', 'box', host.address, '--token-stdin'], { input });
    expect(stranger.code).toBe(2);
    expect(stranger.stderr).toContain('[remote/unknown-certificate]');

    machine.more = { NODE_EXTRA_CA_CERTS: authority };
    await machine.add('box', host);
    expect(await readFile(machine.folder.path('home/hosts.json'), 'utf8')).not.toContain(host.fingerprint);
    expect(await machine.json<HostStatus>(['status'])).toMatchObject({ queued: 0, running: 0 });
    // Not pinned: who does not trust the authority any more is not let through.
    machine.more = {};
    const without = await machine.remote(['status']);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain('[host/not-connected]');
    // But one that is pinned needs no authority.
    const pinned = `${host.address}#${host.fingerprint ?? ''}`;
    expect((await machine.remote(['add', 'pinned', pinned, '--token-stdin'], { input })).code).toBe(0);
  });

  test('is not taken for one at another address', async () => {
    const machine = await gpuMachine();
    const { authority, cert, key } = await certificates(machine, '127.0.0.9');
    machine.more = { NODE_EXTRA_CA_CERTS: authority };
    const host = await machine.host(tls(cert, key));
    const input = host.token?.token ?? '';
    const { code, stderr } = await machine.remote(['add', 'box', host.address, '--token-stdin'], { input });
    expect(code).toBe(2);
    expect(stderr).toContain('[remote/unknown-certificate]');
  });
});

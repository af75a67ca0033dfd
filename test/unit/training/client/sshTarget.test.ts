import { describe, expect, it } from 'vitest';
import {
  isSshAddress,
  sshAddress,
  sshArguments,
  sshTarget,
} from '../../../../src/training/node/client/ssh/target.ts';

describe('an address that ssh gets to', () => {
  it.each([
    ['ssh:box', { user: undefined, host: 'box', port: undefined }],
    ['ssh:ann@gpu-1.example.org:2222', { user: 'ann', host: 'gpu-1.example.org', port: 2222 }],
    ['ssh:ann@[::1]:22', { user: 'ann', host: '::1', port: 22 }],
  ])('is read and written: %s', (address, target) => {
    expect(sshTarget(address)).toEqual(target);
    expect(sshAddress(target)).toBe(address);
    expect(sshTarget(address.replace('ssh:', 'ssh://'))).toEqual(target);
  });

  it.each(['gpubox', 'ann@gpu-1.example.org', '10.0.0.5'])('may be a name alone: %s', (name) => {
    expect(isSshAddress(name)).toBe(true);
    expect(sshAddress(sshTarget(name))).toBe(`ssh:${name}`);
  });

  it.each(['wss://box:7788', 'ws://127.0.0.1:1', 'box:7788', 'ann@box:22', '-v', 'ann@-box', 'a b', ''])(
    'is not what could be another one: %j',
    (text) => {
      expect(isSshAddress(text)).toBe(false);
    },
  );

  it.each([
    ...['ssh:', 'ssh:-oProxyCommand=x', 'ssh:-v@box', 'ssh:ann@-box', 'ssh:ann@box:0', 'ssh:ann@box:99999'],
    ...['ssh:ann@box;id', 'ssh:$(id)', 'ssh:a b', 'ssh:ann@box\nid', 'ssh:ann:secret@box', 'ssh:box/path'],
  ])('is none that ssh or a shell could take for something else: %j', (address) => {
    expect(() => sshTarget(address)).toThrow(expect.objectContaining({ code: 'ssh/address' }));
  });

  it('comes after what ends the options', () => {
    const args = sshArguments(sshTarget('ssh:ann@box:2222'), { asks: false, command: 'exec sh -s' });
    expect(args.slice(-5)).toEqual(['-p', '2222', '--', 'ann@box', 'exec sh -s']);
    expect(args).toContain('BatchMode=yes');
  });
});

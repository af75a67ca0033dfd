import { describe, expect, it } from 'vitest';
import { connectHost, hostUrl } from '../../../../src/training/node/client/connectHost.ts';

describe('the address of a host', () => {
  it.each([
    ['wss://gpu.example:7788', 'wss://gpu.example:7788/agentjet'],
    ['ws://127.0.0.1:7788', 'ws://127.0.0.1:7788/agentjet'],
    ['ws://LOCALHOST:7788', 'ws://localhost:7788/agentjet'],
    ['ws://[::1]:7788', 'ws://[::1]:7788/agentjet'],
    ['127.0.0.1:7788', 'ws://127.0.0.1:7788/agentjet'],
    ['LocalHost:7788', 'ws://localhost:7788/agentjet'],
    ['[::1]:7788', 'ws://[::1]:7788/agentjet'],
    ['gpu.example:7788', 'wss://gpu.example:7788/agentjet'],
    ['10.0.0.7:7788', 'wss://10.0.0.7:7788/agentjet'],
  ])('is %s', (text, url) => {
    expect(hostUrl(text).href).toBe(url);
  });

  it.each(['ws://gpu.example:7788', 'ws://10.0.0.7:7788', 'ws://127.0.0.1.example', 'ws://[fe80::1]:7788'])(
    'is not %s: its token would go in clear',
    (text) => {
      expect(() => hostUrl(text)).toThrow('unencrypted');
    },
  );

  it('is looked at before a known host of it is dialled', () => {
    const address = { url: 'ws://gpu.example:7788', token: 'of-the-host' };
    expect(() => connectHost(address, { client: { name: 'tests', version: '0' } })).toThrow(
      'Over ws://, the token would be sent unencrypted to gpu.example:7788.',
    );
  });

  it.each(['gpu.example', 'https://gpu.example', 'wss://ann:pw@gpu.example', 'wss://gpu.example?token=x'])(
    'is not %s',
    (text) => {
      expect(() => hostUrl(text)).toThrow('is not the address of a host');
    },
  );
});

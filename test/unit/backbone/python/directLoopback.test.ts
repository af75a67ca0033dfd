import { describe, expect, it } from 'vitest';
import { directLoopback } from '../../../../src/backbone/node/python/worker.ts';

describe('loopback past a proxy', () => {
  const both = (value: string): object => ({ no_proxy: value, NO_PROXY: value });

  it.each([
    ['no proxy', { PATH: '/bin' }, {}],
    ['no proxy, but exceptions from one', { NO_PROXY: 'example.org' }, {}],
    ['an empty proxy', { http_proxy: '' }, {}],
    ['a proxy', { HTTP_PROXY: 'http://proxy:3128' }, both('127.0.0.1,localhost')],
    ['a proxy for everything', { all_proxy: 'socks5://proxy' }, both('127.0.0.1,localhost')],
    ['exceptions', { https_proxy: 'http://p', NO_PROXY: 'a.org' }, both('a.org,127.0.0.1,localhost')],
    [
      'exceptions in both spellings, of which Python takes the lower',
      { https_proxy: 'http://p', NO_PROXY: 'a.org', no_proxy: 'b.org' },
      both('b.org,127.0.0.1,localhost'),
    ],
    ['an exception for all', { http_proxy: 'http://p', no_proxy: '*' }, {}],
  ])('%s', (_, env, expected) => {
    expect(directLoopback(env)).toEqual(expected);
  });
});

import type { IncomingMessage } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HostTokens } from '../../../../../src/training/node/host/server/tokens.ts';
import { UpgradeCheck } from '../../../../../src/training/node/host/server/hostServer.ts';
import { wirePath, wireSubprotocol } from '../../../../../src/training/core/protocol/wire.ts';
import { FakeClock } from '../../../fakeClock.ts';

function newCheck() {
  const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tokens = new HostTokens(folder);
  const right = tokens.add('right', ['start'], 1);
  const clock = new FakeClock();
  const check = new UpgradeCheck(tokens, clock);
  /** The status that it is refused with, or the token's name. */
  const ask = (token = right, remoteAddress = '10.0.0.1', url: string = wirePath): number | string => {
    const headers = { authorization: `Bearer ${token}`, 'sec-websocket-protocol': wireSubprotocol };
    const request = { socket: { remoteAddress }, url, method: 'GET', headers };
    const found = check.check(request as unknown as IncomingMessage);
    return 'status' in found ? found.status : found.name;
  };
  const many = (count: number, token?: string, address?: string): unknown[] =>
    Array.from({ length: count }, () => ask(token, address));
  return { clock, ask, many };
}

describe('connections', () => {
  it('of one token are refused after a burst of them, and let in again with time', () => {
    const { clock, ask, many } = newCheck();
    expect(new Set(many(200))).toEqual(new Set(['right']));
    expect(new Set(many(50))).toEqual(new Set([429]));
    expect(ask(undefined, '10.0.0.2')).toBe(429);
    clock.advance(1_000);
    expect(many(21)).toEqual([...Array.from({ length: 20 }, () => 'right'), 429]);
    clock.advance(3_600_000);
    expect(many(201).indexOf(429)).toBe(200);
  });

  it('count wherever they knock', () => {
    const { ask } = newCheck();
    for (let knock = 0; knock < 200; knock++) expect(ask(undefined, undefined, '/')).toBe(404);
    expect(ask(undefined, undefined, '/')).toBe(429);
    expect(ask()).toBe(429);
  });

  it('without a token keep nobody out at the same address, at 300 in a second', () => {
    const { clock, ask, many } = newCheck();
    for (let second = 0; second < 20; second++) {
      many(300, 'wrong');
      expect(ask()).toBe('right');
      clock.advance(1_000);
    }
  });

  it('with wrong tokens are refused sooner, and keep those with a right one not out', () => {
    const { clock, ask, many } = newCheck();
    expect(new Set(many(20, 'wrong'))).toEqual(new Set([401]));
    expect(many(3, 'wrong')).toEqual([429, 429, 429]);
    expect(ask()).toBe('right');
    expect(ask('wrong', '10.0.0.2')).toBe(401);
    clock.advance(4_999);
    expect(ask('wrong')).toBe(429);
    clock.advance(1);
    expect(many(2, 'wrong')).toEqual([401, 429]);
  });
});

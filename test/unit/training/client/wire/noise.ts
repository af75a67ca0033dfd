import type { Random } from '../../../../../src/base/core/random.ts';
import { hostMethods } from '../../../../../src/training/core/protocol/hostRpc.ts';
import { theRun } from '../../../../tools/host/scriptedServices.ts';

export function hello(min: number, max: number): string {
  const params = { versions: { min, max }, client: { name: 'x', version: 'y' } };
  return JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'hello', params });
}

const methods = Object.keys(hostMethods);
const fitting: Readonly<Record<string, readonly unknown[]>> = {
  run: [theRun, '20260101-000000-000000'],
  sha256: ['0'.repeat(64), 'f'.repeat(64)],
  snapshot: ['0'.repeat(64), 'f'.repeat(64)],
  bytes: [0, 30],
  after: [0, 40],
  from: [0, 1],
  path: ['weights', 'a/b'],
  offset: [0, 5],
  length: [0, 100],
  contents: [[], ['0'.repeat(64)]],
  transfer: [0, 1],
  entries: [[], [{ path: 'x', link: 'y' }]],
  done: [true, false],
  checkpoints: [true, false],
};
const names = Object.keys(fitting);
const scraps = [
  null,
  true,
  -1,
  1e308,
  '',
  '\0',
  '../../etc/passwd',
  theRun,
  [],
  {},
  { constructor: {} },
  'x'.repeat(5_000),
];

/** A request of any method, with parameters that fit and some that do not. */
export function noisyRequest(random: Random): Readonly<Record<string, unknown>> {
  const params: Record<string, unknown> = {};
  for (const name of names) {
    if (random.chance(0.3)) params[name] = scraps[random.below(scraps.length)];
    else if (random.chance(0.6)) params[name] = fitting[name]?.[random.below(2)];
  }
  const method = methods[1 + random.below(methods.length - 1)];
  return { jsonrpc: '2.0', id: random.below(1_000), method, params };
}

import { expect, test } from 'vitest';
import { neverCancelled } from '../../../../../src/base/core/cancellation.ts';
import type { RunEvent } from '../../../../../src/training/core/protocol/runs.ts';
import { RunFollowers } from '../../../../../src/training/core/wire/follows.ts';
import { Requests } from '../../../../../src/training/core/wire/requests.ts';

const run = '20260101-120000-abcdef';

function lines(from: number, to: number): RunEvent[] {
  const common = { at: 0, type: 'log', source: 'launcher', to: 0 } as const;
  return Array.from({ length: to - from + 1 }, (_, at) => ({ ...common, lines: [''], seq: from + at }));
}

function follows() {
  const sent: { readonly id: number; readonly method: string; readonly params: object }[] = [];
  const requests = new Requests();
  requests.connected((text) => sent.push(JSON.parse(text) as (typeof sent)[number]));
  const all = new RunFollowers(requests);
  all.connected();
  const asked = (): typeof sent => sent.filter(({ method }) => method === 'run.follow');
  const answer = (): void =>
    requests.answered({ jsonrpc: '2.0', id: asked().at(-1)?.id ?? -1, result: null });
  const events = all.follow(run, { after: 0 }, neverCancelled)[Symbol.asyncIterator]();
  return { all, asked, answer, events };
}

test('what was on its way to a reader that had been full is no gap', async () => {
  const { all, asked, answer, events } = follows();
  answer();
  const most = 20_001;
  all.take({ run, events: lines(1, most) });
  all.take({ run, events: lines(most + 1, most + 10) });
  expect((await events.next()).value).toHaveLength(most);
  const next = events.next();
  expect(asked().map(({ params }) => params)).toEqual([
    { run, after: 0 },
    { run, after: most },
  ]);
  for (let from = most + 11; from < most + 100; from += 10) {
    all.take({ run, events: lines(from, from + 9) });
  }
  expect(asked()).toHaveLength(2);
  answer();
  all.take({ run, events: lines(most + 1, most + 20) });
  expect((await next).value).toHaveLength(20);
});

test('a host that leaves events out is asked again, and not for ever', async () => {
  const { all, asked, answer, events } = follows();
  for (const times of [1, 2, 3, 4]) {
    answer();
    expect(asked()).toHaveLength(times);
    all.take({ run, events: lines(2, 3) });
  }
  await expect(events.next()).rejects.toMatchObject({ code: 'host/gap' });
  expect(asked()).toHaveLength(4);
});

test('one who reads some sources gets the history, however far the others are', async () => {
  const { all, asked, answer, events } = follows();
  answer();
  all.take({ run, events: lines(1, 100) });
  expect((await events.next()).value).toHaveLength(100);
  const some = all.follow(run, { after: 0, sources: ['-'] }, neverCancelled)[Symbol.asyncIterator]();
  expect(asked().at(-1)?.params).toEqual({ run, after: 0 });
  // On its way before the host was asked anew.
  all.take({ run, events: lines(101, 101) });
  answer();
  const phase: RunEvent = { type: 'phase', seq: 1, at: 0, phase: 'training' };
  all.take({ run, events: [phase, ...lines(2, 101)] });
  expect((await some.next()).value).toEqual([phase]);
});

test('one who reads some sources and had been full goes on where it was', async () => {
  const { all, answer, events } = follows();
  answer();
  const some = all.follow(run, { after: 0, sources: ['launcher'] }, neverCancelled)[Symbol.asyncIterator]();
  answer();
  const most = 20_001;
  all.take({ run, events: lines(1, most) });
  expect((await some.next()).value).toHaveLength(most);
  const next = some.next();
  all.take({ run, events: lines(most + 11, most + 20) });
  answer();
  all.take({ run, events: lines(most + 1, most + 20) });
  expect((await next).value).toHaveLength(20);
  expect((await events.next()).value).toHaveLength(most);
});

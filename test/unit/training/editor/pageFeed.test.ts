import { describe, expect, it, onTestFinished } from 'vitest';
import { CodedError } from '../../../../src/base/core/errors.ts';
import type { RunEvent } from '../../../../src/training/core/protocol/runs.ts';
import type { RunRef, RunPageMessage } from '../../../../src/training/core/page/trainingRunRpc.ts';
import type { HostServices } from '../../../../src/training/core/contracts.ts';
import { HostClients } from '../../../../src/training/editor/hostClients.ts';
import type { KnownHosts } from '../../../../src/training/editor/knownHosts.ts';
import { PageFeed } from '../../../../src/training/editor/pageFeed.ts';
import { SshTunnels } from '../../../../src/training/editor/sshTunnels.ts';
import { ScriptedServices, theRun } from '../../../tools/host/scriptedServices.ts';
import { FakeClock } from '../../fakeClock.ts';
import { wireHost, type WireHost } from '../client/wire/wireHost.ts';
import { knownHosts, scriptedSsh } from './editorHosts.ts';

const otherRun = '20261123-080000-fedcba';

interface Fed {
  readonly feed: PageFeed;
  /** All that the page was told, in order. */
  readonly told: readonly RunPageMessage[];
  /** Resolves with the first message that is so, from the beginning. */
  readonly tells: (isSo: (message: RunPageMessage) => boolean) => Promise<RunPageMessage>;
}

function fed(hosts: KnownHosts, clients: HostClients, own: RunRef, clock = new FakeClock()): Fed {
  const told: RunPageMessage[] = [];
  const waiting = new Set<() => void>();
  const feed = new PageFeed({
    hosts,
    clients,
    own,
    clock,
    mayRead: () => false,
    send: (message) => {
      told.push(message);
      for (const look of [...waiting]) look();
    },
  });
  onTestFinished(() => feed.dispose());
  const tells: Fed['tells'] = (isSo) =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = told.find(isSo);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { feed, told, tells };
}

function linksOf(hosts: KnownHosts, program: string, clock = new FakeClock()): HostClients {
  const clients = new HostClients(hosts, new SshTunnels(program, () => undefined), clock, '0');
  onTestFinished(() => clients.dispose());
  return clients;
}

/** A host whose one run has another id, and no events; it can lose its run. */
async function otherHost(): Promise<WireHost & { readonly lose: () => void }> {
  const scripted = new ScriptedServices();
  const { services } = scripted;
  let isThere = true;
  const known = (run: string): void => {
    if (!isThere || run !== otherRun) throw new CodedError({ code: 'host/no-run', message: 'None.' });
  };
  const record = { ...services.runs.get(theRun), id: otherRun, events: 0 };
  const runs: HostServices['runs'] = {
    ...services.runs,
    list: () => (isThere ? [record] : []),
    get: (run) => {
      known(run);
      return record;
    },
    follow: (run) => {
      known(run);
      return {
        next: () => Promise.resolve(undefined),
        onMore: () => ({ dispose: () => undefined }),
        dispose: () => undefined,
      };
    },
  };
  const host = await wireHost({ services: { ...services, runs } });
  return { ...host, lose: () => (isThere = false) };
}

const idsOf = (message: RunPageMessage): readonly string[] =>
  message.type === 'runs' ? message.runs.map(({ record }) => record.id) : [];

describe('a page', () => {
  it('whose host ssh does not reach says so, and comes to life once it does', async () => {
    const box = await otherHost();
    const ssh = await scriptedSsh(box.server.url);
    await ssh.fail('ssh: connect to host box port 22: Network is unreachable');
    const hosts = knownHosts();
    await hosts.add({ name: 'box', url: 'ssh:ada@box' }, box.token());
    const clock = new FakeClock();
    const { feed, tells } = fed(hosts, linksOf(hosts, ssh.program, clock), { host: 'box', run: otherRun });
    await feed.start([]);
    const waits = await tells(({ type }) => type === 'connection');
    expect(waits).toMatchObject({ host: 'box', state: { kind: 'waiting', retryAt: 2_000 } });
    await ssh.fail(null);
    clock.advance(2_000);
    expect(await tells(({ type }) => type === 'runs')).toMatchObject({ awaited: [] });
  });

  it('keeps what it is compared with while that cannot be reached, and its own run first', async () => {
    const box = await wireHost();
    box.scripted.add([{ type: 'metrics', seq: 1, at: 1, role: 'trainer', step: 1, values: { reward: 1 } }]);
    const far = await otherHost();
    const ssh = await scriptedSsh(far.server.url);
    await ssh.fail('ssh: connect to host far port 22: Network is unreachable');
    const hosts = knownHosts();
    await hosts.add({ name: 'box', url: box.server.url }, box.token());
    await hosts.add({ name: 'far', url: 'ssh:ada@far' }, far.token());
    const clock = new FakeClock();
    const clients = linksOf(hosts, ssh.program, clock);
    const near = { host: 'box', run: theRun };
    const away = { host: 'far', run: otherRun };
    const here = fed(hosts, clients, near);
    await here.feed.start([away]);
    expect(await here.tells((message) => idsOf(message).join() === theRun)).toMatchObject({
      awaited: [away],
    });
    // The run of the page is the one that comes late: nothing can be told of the other before.
    const there = fed(hosts, clients, away);
    await there.feed.start([near]);
    await clients.peek('box')?.refresh();
    expect(there.told.filter(({ type }) => type !== 'connection')).toEqual([]);
    await ssh.fail(null);
    clock.advance(60_000);
    await here.tells((message) => idsOf(message).join() === `${theRun},${otherRun}`);
    const both = await there.tells((message) => idsOf(message).join() === `${otherRun},${theRun}`);
    const events = await there.tells((message) => message.type === 'events');
    expect(events).toMatchObject({ run: theRun });
    expect(there.told.indexOf(events)).toBeGreaterThan(there.told.indexOf(both));
  });
});

it('is told what the GPUs of its run did before, after the run itself', async () => {
  const box = await wireHost();
  const gpus = [{ index: 0, load: 80, used: 1, memory: 2 }];
  box.scripted.gpuSamples.push({ at: 1, looks: 1, gpus });
  box.scripted.finish();
  const hosts = knownHosts();
  await hosts.add({ name: 'box', url: box.server.url }, box.token());
  const { feed, told, tells } = fed(hosts, linksOf(hosts, ''), { host: 'box', run: theRun });
  await feed.start([]);
  const history = await tells(({ type }) => type === 'gpuHistory');
  expect(history).toEqual({ type: 'gpuHistory', run: theRun, samples: [{ at: 1, looks: 1, gpus }] });
  expect(told.findIndex(({ type }) => type === 'runs')).toBeLessThan(told.indexOf(history));
});

describe('a run whose events the host cannot tell', () => {
  const step = (seq: number): RunEvent => ({
    ...{ type: 'metrics', role: 'trainer', seq, at: seq },
    ...{ step: seq, values: { reward: seq } },
  });

  it('is told on its page, and followed anew from where it was', async () => {
    const box = await wireHost();
    box.scripted.add([step(1), step(2)]);
    const hosts = knownHosts();
    await hosts.add({ name: 'box', url: box.server.url }, box.token());
    const clock = new FakeClock();
    const clients = linksOf(hosts, '');
    const { feed, told, tells } = fed(hosts, clients, { host: 'box', run: theRun }, clock);
    const seqs = (): readonly number[] =>
      told.flatMap((message) => (message.type === 'events' ? message.events.map(({ seq }) => seq) : []));
    await feed.start([]);
    await expect.poll(seqs).toEqual([1, 2]);
    box.scripted.unreadable = new CodedError({ code: 'host/events', message: 'Torn.', hint: 'Mend it.' });
    box.scripted.add([step(3)]);
    expect(await tells(({ type }) => type === 'unheard')).toEqual({
      ...{ type: 'unheard', run: theRun, problem: 'Torn. Mend it.' },
    });
    clock.advance(5_000);
    await clients.peek('box')?.connection.ask('run.list', {});
    expect(told.filter(({ type }) => type === 'unheard')).toHaveLength(1);
    box.scripted.unreadable = undefined;
    const later = (): readonly number[] => {
      clock.advance(1_000);
      return seqs();
    };
    await expect.poll(later).toEqual([1, 2, 3]);
    expect(told.filter(({ type }) => type === 'unheard').at(-1)).toMatchObject({ problem: null });
    box.scripted.add([step(4)]);
    await expect.poll(seqs).toEqual([1, 2, 3, 4]);
  });
});

describe('a run that somebody removed', () => {
  it('is told on its page, and forgotten', async () => {
    const box = await otherHost();
    const hosts = knownHosts();
    await hosts.add({ name: 'box', url: box.server.url }, box.token());
    const clients = linksOf(hosts, '');
    const place = { host: 'box', run: otherRun };
    const open = fed(hosts, clients, place);
    await open.feed.start([]);
    await open.tells((message) => idsOf(message).length === 1);
    const link = clients.peek('box');
    box.lose();
    // A row that is old leads to its page, which has the record of then.
    const late = fed(hosts, clients, place);
    await late.feed.start([]);
    const gone = { type: 'gone', host: 'box', run: otherRun };
    expect(await late.tells(({ type }) => type === 'gone')).toEqual(gone);
    expect(late.told.flatMap(idsOf)[0]).toBe(otherRun);
    expect(await open.tells(({ type }) => type === 'gone')).toEqual(gone);
    expect(link?.run(otherRun)).toBeUndefined();
  });

  it('is taken off the pages that compare with it', async () => {
    const box = await wireHost();
    const other = await otherHost();
    const hosts = knownHosts();
    await hosts.add({ name: 'box', url: box.server.url }, box.token());
    await hosts.add({ name: 'other', url: other.server.url }, other.token());
    const clients = linksOf(hosts, '');
    const { feed, told, tells } = fed(hosts, clients, { host: 'box', run: theRun });
    await feed.start([{ host: 'other', run: otherRun }]);
    await tells((message) => idsOf(message).length === 2);
    other.lose();
    const before = told.length;
    await clients
      .peek('other')
      ?.refresh()
      .catch(() => undefined);
    await tells(
      (message) => told.indexOf(message) >= before && message.type === 'runs' && !feed.has(otherRun),
    );
    expect(told.at(-1)).toMatchObject({ type: 'runs', awaited: [] });
    expect(told.some(({ type }) => type === 'gone')).toBe(false);
  });
});

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CancellationSource, neverCancelled } from '../../../../../src/base/core/cancellation.ts';
import { CodedError } from '../../../../../src/base/core/errors.ts';
import { Random } from '../../../../../src/base/core/random.ts';
import type { RunEvent } from '../../../../../src/training/core/protocol/runs.ts';
import type { ClientConnection } from '../../../../../src/training/core/wire/clientConnection.ts';
import { piecesOf, sumOf, theRun } from '../../../../tools/host/scriptedServices.ts';
import { fuzz } from '../../../fuzz.ts';
import { client, reaches, wireHost } from './wireHost.ts';

async function allOf(events: AsyncIterable<readonly RunEvent[]>): Promise<readonly RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const some of events) all.push(...some);
  return all;
}

describe('a client of a host', () => {
  it('says hello, asks and is answered', async () => {
    const host = await wireHost();
    const connection = client({ url: host.server.url, token: host.token(['cancel']) });
    const { hello } = await reaches(connection, 'connected');
    expect(hello).toEqual({
      version: 1,
      host: { id: 'a-host', name: 'tests', version: '0' },
      scopes: ['view', 'cancel'],
      as: 'token-1',
    });
    expect(await connection.ask('run.get', { run: theRun })).toMatchObject({ id: theRun, state: 'running' });
    await connection.ask('run.cancel', { run: theRun });
    expect(host.scripted.cancelledBy).toEqual(['token-1']);
    await expect(connection.ask('run.get', { run: '20260101-000000-000000' })).rejects.toMatchObject({
      code: 'host/no-run',
    });
  });

  it('may do what its token says, and no more', async () => {
    const host = await wireHost();
    const connection = client({ url: host.server.url, token: host.token([]) });
    await expect(connection.ask('run.cancel', { run: theRun })).rejects.toMatchObject({
      code: 'host/not-allowed',
      hint: expect.stringContaining('--scope cancel') as string,
    });
    expect(host.scripted.cancelledBy).toEqual([]);
  });

  it('whose token is to look gets results of a run as they are, and nothing that can hold secrets', async () => {
    const host = await wireHost();
    const looking = client({ url: host.server.url, token: host.token([]) });
    const starting = client({ url: host.server.url, token: host.token(['start']) });
    const isGiven = async (connection: ClientConnection, path: string): Promise<boolean> => {
      host.scripted.files.set(path, Buffer.from('it'));
      const params = { run: theRun, path, offset: 0, length: 2 };
      const asked = [
        connection.ask('file.sum', { run: theRun, path }),
        connection.download({ method: 'file.get', params }, neverCancelled),
      ];
      const told = await Promise.allSettled(asked);
      for (const one of told) if (one.status === 'rejected') expect(one.reason).toMatchObject(notAllowed);
      return told.every(({ status }) => status === 'fulfilled');
    };
    const notAllowed = { code: 'host/not-allowed' };
    for (const path of ['global_step_20/actor/model.pt', 'buffer/explorer_output.db']) {
      expect(await isGiven(looking, path), path).toBe(true);
    }
    const others = ['log/trainer.log', 'config.json', 'global_step_20', 'x/global_step_1/y', 'main.py'];
    for (const path of others) {
      expect(await isGiven(looking, path), path).toBe(false);
      expect(await isGiven(starting, path), path).toBe(true);
    }
    host.scripted.change({ stages: [{ name: 'x', folder: 'x', totalSteps: null }] });
    expect(await isGiven(looking, 'x/global_step_1/y')).toBe(true);
    for (const path of ['x/log/trainer.log', 'xy/buffer/z']) expect(await isGiven(looking, path)).toBe(false);
    // What is shown of the launcher's folder is rollouts alone.
    const logged = { run: theRun, of: 'rollouts', path: 'rollout.json.log' } as const;
    host.scripted.rolloutLogs.set(logged.path, Buffer.from('logged'));
    expect(await looking.ask('file.list', { ...logged, from: 0 })).toMatchObject({ total: 1 });
    expect(await looking.ask('file.sum', logged)).toMatchObject({ sha256: sumOf(Buffer.from('logged')) });
    const params = { ...logged, offset: 0, length: 6 };
    const { bytes } = await looking.download({ method: 'file.get', params }, neverCancelled);
    expect(bytes).toBe(6);
    const get = { method: 'sync.get', params: { sha256: '0'.repeat(64), offset: 0 } } as const;
    await expect(looking.download(get, neverCancelled)).rejects.toMatchObject(notAllowed);
    const order = { name: 'x', launcher: 'trinity', backbone: 'trinity', config: 'x.yaml' } as const;
    const sent = { ...order, snapshot: '0'.repeat(64), flags: [], env: {}, gpus: 0 };
    const configText = 'hydra: { searchpath: [file:///home/ann] }';
    await expect(looking.ask('preflight', { order: sent, configText })).rejects.toMatchObject(notAllowed);
    expect(await starting.ask('preflight', { order: sent, configText })).toEqual([]);
  });

  it('asks again after its connection was cut in between', async () => {
    const host = await wireHost();
    const network = await host.network();
    network.cutAfter = () => (network.made < 4 ? 400 : Infinity);
    const connection = client({ url: `ws://127.0.0.1:${network.port}`, token: host.token() });
    const records = await Promise.all(
      Array.from({ length: 100 }, () => connection.ask('run.get', { run: theRun })),
    );
    expect(records.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, () => theRun));
    expect(network.made).toBeGreaterThan(1);
  });

  it('waits where nothing listens, and rejects once it is closed', async () => {
    const connection = client({ url: 'ws://127.0.0.1:1', token: 'x' });
    const asked = connection.ask('run.list', {});
    expect((await reaches(connection, 'waiting')).reason).toBe('No program listens at this address.');
    connection.dispose();
    await expect(asked).rejects.toMatchObject({ code: 'host/not-connected' });
    await expect(connection.ask('run.list', {})).rejects.toMatchObject({ code: 'host/not-connected' });
  });

  it('notices that nothing comes through any more', async () => {
    const host = await wireHost({ heartbeat: 0.05 });
    const network = await host.network();
    const connection = client(
      { url: `ws://127.0.0.1:${network.port}`, token: host.token() },
      { heartbeat: 0.05 },
    );
    await reaches(connection, 'connected');
    network.swallow();
    await reaches(connection, 'waiting');
    await reaches(connection, 'connected');
    expect(await connection.ask('run.list', {})).toHaveLength(1);
  });

  it('is told of runs that change, also over the next connection', async () => {
    const host = await wireHost();
    const network = await host.network();
    const connection = client({ url: `ws://127.0.0.1:${network.port}`, token: host.token() });
    let wanted = 1;
    let heard = (): void => undefined;
    connection.on('run.changed', ({ run }) => {
      if (run.events === wanted) heard();
    });
    const told = async (): Promise<void> => {
      const hears = new Promise<void>((resolve) => (heard = resolve));
      host.scripted.lines(1);
      await hears;
      wanted += 1;
    };
    await connection.ask('run.watch', {});
    await told();
    network.cut();
    await reaches(connection, 'waiting');
    await reaches(connection, 'connected');
    await connection.ask('run.list', {});
    await told();
  });
});

it('a client is told of a run that somebody removes', async () => {
  const host = await wireHost();
  const watcher = client({ url: host.server.url, token: host.token() });
  const told: string[] = [];
  watcher.on('run.changed', ({ run }) => told.push(`${run.id} changed`));
  const removed = new Promise<void>((resolve) =>
    watcher.on('run.removed', ({ run }) => {
      told.push(`${run} removed`);
      resolve();
    }),
  );
  await watcher.ask('run.watch', {});
  host.scripted.lines(1);
  host.scripted.remove();
  await removed;
  expect(told.at(-1)).toBe(`${theRun} removed`);
  expect(await watcher.ask('run.list', {})).toEqual([]);
});

describe('events of a run', () => {
  it('come each once and in order, however often the network goes', async () => {
    const { numRuns } = fuzz(1, 50);
    const random = new Random('cuts');
    const host = await wireHost();
    const network = await host.network();
    let cuts = 0;
    network.cutAfter = () => {
      cuts += 1;
      return cuts < numRuns * 10 ? 5_000 + random.below(200_000) : Infinity;
    };
    const connection = client({ url: `ws://127.0.0.1:${network.port}`, token: host.token() });
    const all = allOf(connection.follow(theRun, { after: 0 }, neverCancelled));
    const count = numRuns * 2_000;
    for (let written = 0; written < count; written += 500) {
      host.scripted.lines(500);
      await new Promise(setImmediate);
    }
    host.scripted.finish();
    const events = await all;
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: count + 1 }, (_, index) => index + 1));
    expect(events.at(-1)).toMatchObject({ type: 'state', state: 'finished' });
    expect(cuts).toBeGreaterThan(2);
  });

  it('come to several readers, of some sources, and from where each left off', async () => {
    const host = await wireHost();
    const connection = client({ url: host.server.url, token: host.token() });
    host.scripted.lines(1_400);
    host.scripted.finish();
    const [whole, rest, trainer, nothing] = await Promise.all([
      allOf(connection.follow(theRun, { after: 0 }, neverCancelled)),
      allOf(connection.follow(theRun, { after: 1_390 }, neverCancelled)),
      allOf(connection.follow(theRun, { after: 0, sources: ['trainer'] }, neverCancelled)),
      allOf(connection.follow(theRun, { after: 1_401 }, neverCancelled)),
    ]);
    expect(whole).toHaveLength(1_401);
    expect(rest.map(({ seq }) => seq)).toEqual([
      1391, 1392, 1393, 1394, 1395, 1396, 1397, 1398, 1399, 1400, 1401,
    ]);
    expect(trainer).toHaveLength(201);
    expect(nothing).toEqual([]);
  });

  it('come to who begins to read once another one has them all, while the run goes on', async () => {
    const host = await wireHost();
    const connection = client({ url: host.server.url, token: host.token() });
    host.scripted.lines(1_400);
    const first = connection.follow(theRun, { after: 0, sources: ['-'] }, neverCancelled);
    host.scripted.add([{ type: 'notice', seq: 1_401, at: 1, text: 'here' }]);
    const notice = await first[Symbol.asyncIterator]().next();
    expect(notice.value).toMatchObject([{ text: 'here' }]);
    const second = connection.follow(theRun, { after: 0 }, neverCancelled)[Symbol.asyncIterator]();
    const next = await second.next();
    expect((next.value as readonly RunEvent[])[0]?.seq).toBe(1);
  });

  it('wait at the host while nobody takes them', async () => {
    const host = await wireHost();
    const connection = client({ url: host.server.url, token: host.token() });
    const events = connection.follow(theRun, { after: 0 }, neverCancelled)[Symbol.asyncIterator]();
    // 60 MB, of which the client holds 20 and the sockets between a few.
    host.scripted.lines(60_000, 'x'.repeat(1_000));
    const first = await events.next();
    expect(first.done).toBe(false);
    // Asked after what was sent: what comes behind it was not.
    await connection.ask('run.list', {});
    await connection.ask('run.list', {});
    expect(host.scripted.read).toBeLessThan(50_000);
    host.scripted.finish();
    let last = (first.value as readonly RunEvent[]).at(-1)?.seq ?? 0;
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      expect(next.value[0]?.seq).toBe(last + 1);
      last = next.value.at(-1)?.seq ?? 0;
    }
    expect(last).toBe(60_001);
  });

  it('end with what keeps the host from reading them, and the host goes on', async () => {
    const host = await wireHost();
    const connection = client({ url: host.server.url, token: host.token() });
    host.scripted.unreadable = new CodedError({ code: 'host/no-run', message: 'The run was removed.' });
    const failed = allOf(connection.follow(theRun, { after: 0 }, neverCancelled));
    await expect(failed).rejects.toMatchObject({ code: 'host/no-run', message: 'The run was removed.' });
    expect(await connection.ask('run.list', {})).toHaveLength(1);
    expect(host.scripted.readers).toBe(0);
  });

  it('end with a cancellation, and with a run that there is not', async () => {
    const host = await wireHost();
    const connection = client({ url: host.server.url, token: host.token() });
    const cancellation = new CancellationSource();
    const cancelled = allOf(connection.follow(theRun, { after: 0 }, cancellation.token));
    await connection.ask('run.list', {});
    cancellation.cancel();
    await expect(cancelled).rejects.toMatchObject({ code: 'host/cancelled' });
    const other = allOf(connection.follow('20260101-000000-000000', { after: 0 }, neverCancelled));
    await expect(other).rejects.toMatchObject({ code: 'host/no-run' });
    await connection.ask('run.list', {});
    expect(host.scripted.readers).toBe(0);
  });
});

describe('transfers', () => {
  it('carry bytes both ways, over as many connections as it takes', async () => {
    const host = await wireHost();
    const network = await host.network();
    const random = new Random('transfers');
    network.cutAfter = () => (network.made < 12 ? 400_000 + random.below(1_000_000) : Infinity);
    const connection = client({ url: `ws://127.0.0.1:${network.port}`, token: host.token() });
    const bytes = randomBytes(5_000_000);
    host.scripted.files.set('weights', bytes);
    const request = { run: theRun, path: 'weights', offset: 1_000, length: 10_000_000 };
    const source = await connection.download({ method: 'file.get', params: request }, neverCancelled);
    const pieces: Uint8Array[] = [];
    for await (const piece of source.pieces) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(bytes.subarray(1_000))).toBe(true);
    expect(network.made).toBeGreaterThan(2);

    const sha256 = sumOf(bytes);
    const put = { method: 'sync.put', params: { sha256, bytes: bytes.length } } as const;
    const again = { bytes: bytes.length, pieces: { [Symbol.asyncIterator]: () => piecesOf(bytes) } };
    const uploaded = connection.upload(put, again, neverCancelled);
    network.cut();
    await uploaded;
    expect(host.scripted.kept.get(sha256)?.equals(bytes)).toBe(true);
  });

  it('fail with what the host says', async () => {
    const host = await wireHost();
    const connection = client({ url: host.server.url, token: host.token() });
    const bytes = randomBytes(1_000_000);
    const put = { method: 'sync.put', params: { sha256: '0'.repeat(64), bytes: bytes.length } } as const;
    const source = { bytes: bytes.length, pieces: piecesOf(bytes) };
    await expect(connection.upload(put, source, neverCancelled)).rejects.toMatchObject({
      code: 'host/other-content',
    });
    const longer = { method: 'sync.put', params: { sha256: '0'.repeat(64), bytes: 10 } } as const;
    await expect(
      connection.upload(longer, { bytes: 10, pieces: piecesOf(bytes) }, neverCancelled),
    ).rejects.toMatchObject({ code: 'host/too-many-bytes' });
    const missing = { method: 'sync.get', params: { sha256: '0'.repeat(64), offset: 0 } } as const;
    await expect(connection.download(missing, neverCancelled)).rejects.toMatchObject({
      code: 'host/no-file',
    });
  });

  it('end when they are cancelled, however silent the host is', async () => {
    const host = await wireHost();
    const connection = client({ url: host.server.url, token: host.token() });
    host.scripted.files.set('weights', randomBytes(1_000_000));
    host.scripted.stuckAt = 500_000;
    const cancellation = new CancellationSource();
    const params = { run: theRun, path: 'weights', offset: 0, length: 1_000_000 };
    const source = await connection.download({ method: 'file.get', params }, cancellation.token);
    let received = 0;
    const reading = (async () => {
      for await (const piece of source.pieces) {
        received += piece.length;
        // Two pieces of the source: from now on nothing comes.
        if (received === 600_002) cancellation.cancel();
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'host/cancelled' });
    expect(received).toBe(600_002);
  });

  it('are given up when nobody takes them any more', async () => {
    const host = await wireHost();
    const connection = client({ url: host.server.url, token: host.token() });
    const bytes = randomBytes(30_000_000);
    host.scripted.files.set('weights', bytes);
    const params = { run: theRun, path: 'weights', offset: 0, length: bytes.length };
    const source = await connection.download({ method: 'file.get', params }, neverCancelled);
    for await (const piece of source.pieces) if (piece.length > 0) break;
    // All transfers of a connection are free again.
    for (let index = 0; index < 40; index++) {
      const other = await connection.download(
        { method: 'file.get', params: { ...params, length: 10 } },
        neverCancelled,
      );
      let received = 0;
      for await (const piece of other.pieces) received += piece.length;
      expect(received).toBe(10);
    }
  });
});

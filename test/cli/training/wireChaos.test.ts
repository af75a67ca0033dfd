import { writeFile } from 'node:fs/promises';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { Random } from '../../../src/base/core/random.ts';
import type { RunEvent } from '../../../src/training/core/protocol/runs.ts';
import { badNetwork } from '../../tools/host/badNetwork.ts';
import { Gathered } from '../../tools/host/gathered.ts';
import { heldBy, mostHostMemory } from '../../tools/host/heldBy.ts';
import { gpuMachine, type GpuMachine } from './gpuHost.ts';
import { clientOf, gather, startedRun } from './wireClient.ts';

const linux = process.platform === 'linux';
const share = process.env['AGENTJET_DEEP'] === '1' ? 1 : 0.1;
const plan = { lines: 200_000 * share, kills: 50 * share, cuts: 500 * share };

function resolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** A run that prints its lines, then waits for the file that is returned. */
async function printing(machine: GpuMachine, count: number): Promise<string> {
  const go = machine.folder.path('go');
  await machine.script([
    { do: 'lines', prefix: 'line', count, padding: 40, pause: 2 },
    { do: 'await', file: go },
    { do: 'print', text: `line ${count + 1}\n` },
  ]);
  return go;
}

/** What is between a client and a host that is killed again and again: each connection ends within a block, or after it. */
class Chaos {
  readonly #random = new Random('wire chaos 1');
  readonly #gathered: Gathered;
  isUp = true;
  #made = 0;
  #waiting: { readonly made: number; readonly resolve: () => void } | undefined;

  constructor(gathered: Gathered) {
    this.#gathered = gathered;
  }

  /** Bytes that the next connection may carry. */
  next(): number {
    // To a host that is not there.
    if (!this.isUp) return Infinity;
    this.#made += 1;
    if (this.#made >= (this.#waiting?.made ?? Infinity)) this.#waiting?.resolve();
    if (this.#gathered.lines >= plan.lines) return this.#random.below(300);
    const [least, range] = this.#random.chance(0.15) ? [260_000, 120_000] : [0, 240_000];
    return least + this.#random.below(range);
  }

  /** Resolves once so many more connections were begun, in the middle of the last one of them or as it is made. */
  connections(count: number): Promise<void> {
    const made = this.#made + count;
    return new Promise((resolve) => (this.#waiting = { made, resolve }));
  }

  get isBetweenBlocks(): boolean {
    return this.#random.chance(0.5);
  }
}

test.skipIf(!linux)(
  'a client whose connection is cut again and again, of a host that is killed again and again, reads every line once',
  { timeout: 900_000 },
  async () => {
    const machine = await gpuMachine();
    const go = await printing(machine, plan.lines);
    let host = await machine.host(['--listen', '127.0.0.1:0']);
    const first = host;
    const { port } = new URL(first.url);
    const network = await badNetwork(Number(port));
    onTestFinished(() => network.close());
    const run = await startedRun(machine, clientOf(first));

    const gathered = new Gathered('line');
    const chaos = new Chaos(gathered);
    let next = resolvers();
    network.cutAfter = () => chaos.next();
    const reading = gather(
      clientOf(first, { port: network.port, delays: { first: 5, most: 10 } }),
      run,
      gathered,
      () => {
        next.resolve();
        next = resolvers();
        // It may carry more, and there is no more: from now on all end while they are made.
        if (gathered.lines === plan.lines) network.cut();
      },
    );
    const failed = reading.then(() => Promise.reject(new Error('The run has ended too early.')));
    for (let kill = 0; kill < plan.kills; kill++) {
      await Promise.race([chaos.connections(plan.cuts / plan.kills), failed]);
      if (chaos.isBetweenBlocks && gathered.lines < plan.lines) await Promise.race([next.promise, failed]);
      chaos.isUp = false;
      expect(heldBy(host.pid).most).toBeLessThan(mostHostMemory);
      await host.end('SIGKILL');
      host = await machine.host(['--listen', `127.0.0.1:${port}`]);
      chaos.isUp = true;
      // One that was made just before may carry all.
      network.cut();
    }
    while (network.cuts < plan.cuts) await Promise.race([chaos.connections(1), failed]);
    network.cutAfter = undefined;
    network.cut();
    await writeFile(go, '');
    await reading;
    expect(gathered).toMatchObject({ lines: plan.lines + 1, state: 'finished', notices: plan.kills });
    expect(heldBy(host.pid).most).toBeLessThan(mostHostMemory);
  },
);

test.skipIf(!linux)(
  'clients that are slow, half cut off or killed read every line, and hinder nobody',
  async () => {
    const count = 50_000;
    const machine = await gpuMachine();
    const go = await printing(machine, count);
    const host = await machine.host(['--listen', '127.0.0.1:0']);
    await machine.add('box', host);
    const network = await badNetwork(Number(new URL(host.url).port));
    onTestFinished(() => network.close());
    const quick = clientOf(host);
    const run = await startedRun(machine, quick);

    const killed = machine.start(['remote', 'logs', run, '--follow', '--source', 'all', '--json']);
    const all = resolvers();
    const gatherAll = async (gathered: Gathered): Promise<void> => {
      await gather(quick, run, gathered, () => {
        if (gathered.lines === count) all.resolve();
      });
    };
    const swallowed = new Gathered('line');
    let isSwallowed = false;
    const half = gather(clientOf(host, { port: network.port, heartbeat: 0.1 }), run, swallowed, () => {
      if (isSwallowed || swallowed.lines === 0) return;
      isSwallowed = true;
      network.swallow();
    });
    const slow = gather(clientOf(host), run, new Gathered('line'), () => all.promise);
    const fast = new Gathered('line');
    const reading = gatherAll(fast);

    await killed.wrote(/"line 2000 /);
    killed.child.kill('SIGKILL');
    const { stdout } = await killed.exited;
    const another = new Gathered('line');
    const take = (text: string): void => {
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      another.take(
        whole
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as RunEvent),
      );
    };
    take(stdout);
    const since = ['--since', String(another.last)];
    const back = machine.start(['remote', 'logs', run, '--follow', '--source', 'all', '--json', ...since]);
    await all.promise;
    await writeFile(go, '');
    const ended = { lines: count + 1, state: 'finished', notices: 0 };
    take((await back.exited).stdout);
    expect(another).toMatchObject(ended);
    await reading;
    expect(fast).toMatchObject(ended);
    expect(await half).toMatchObject(ended);
    expect(network.made).toBeGreaterThan(1);
    expect(await slow).toMatchObject(ended);
    expect(heldBy(host.pid).most).toBeLessThan(mostHostMemory);
  },
);

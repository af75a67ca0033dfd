import { describe, expect, it } from 'vitest';
import { CancellationSource, neverCancelled } from '../../../../../src/base/core/cancellation.ts';
import { entriesPerRequest } from '../../../../../src/training/core/protocol/hostRpc.ts';
import { TokenUse } from '../../../../../src/training/core/wire/tokenUse.ts';

/** Lists of numbers, and how often they were begun, read and ended early. */
class Lists {
  begun = 0;
  read = 0;
  ended = 0;
  readonly use = new TokenUse();

  page(from: number, length: number, { name = 'list', cancellation = neverCancelled } = {}) {
    return this.use.page(name, from, () => this.#numbers(length), cancellation);
  }

  async *#numbers(length: number): AsyncGenerator<number> {
    this.begun += 1;
    try {
      for (let at = 0; at < length; at++) {
        this.read += 1;
        yield await Promise.resolve(at);
      }
    } finally {
      this.ended += 1;
    }
  }
}

describe('a list of a token', () => {
  it('is read once for all its pages', async () => {
    const lists = new Lists();
    const length = 2 * entriesPerRequest + 5;
    const found: number[] = [];
    for (;;) {
      const { items, total } = await lists.page(found.length, length);
      found.push(...items);
      if (found.length >= total) break;
    }
    expect(found).toEqual(Array.from({ length }, (_, at) => at));
    expect(lists).toMatchObject({ begun: 1, read: length, ended: 1 });
    const { items } = await lists.page(entriesPerRequest, length);
    expect(items[0]).toBe(entriesPerRequest);
    expect(lists.begun).toBe(2);
    expect(await lists.page(0, entriesPerRequest)).toMatchObject({ total: entriesPerRequest + 1 });
    expect(await lists.page(entriesPerRequest, 0)).toEqual({ items: [], total: entriesPerRequest });
    expect(await lists.page(99, 5)).toEqual({ items: [], total: 5 });
  });

  it('is one of few that stay unfinished', async () => {
    const lists = new Lists();
    for (let name = 0; name < 20; name++) await lists.page(0, 10_000, { name: String(name) });
    expect([lists.begun, lists.ended]).toEqual([20, 16]);
  });

  it('ends with its client, and the others of the token wait for their turn', async () => {
    const lists = new Lists();
    const client = new CancellationSource();
    const { token: cancellation } = client;
    const asked = Array.from({ length: 40 }, () => lists.page(0, Infinity, { cancellation }));
    const after = lists.page(0, 3);
    const ended = asked.map((one) => expect(one).rejects.toMatchObject({ code: 'host/cancelled' }));
    while (lists.read < 10) await Promise.resolve();
    expect(lists.begun).toBe(1);
    client.cancel();
    await Promise.all(ended);
    expect(await after).toEqual({ items: [0, 1, 2], total: 3 });
    expect([lists.begun, lists.ended]).toEqual([2, 2]);
    expect(lists.read).toBeLessThan(30);
  });
});

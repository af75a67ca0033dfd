import { describe, expect, it } from 'vitest';
import { CancellationSource } from '../../../src/base/core/cancellation.ts';
import { DisposableStore, toDisposable } from '../../../src/base/core/disposable.ts';
import { CodedError, formatReport, toReport } from '../../../src/base/core/errors.ts';
import { Emitter } from '../../../src/base/core/event.ts';

describe('DisposableStore', () => {
  it('releases in reverse order, once, and survives one that throws', () => {
    const log: string[] = [];
    const store = new DisposableStore();
    store.defer(() => log.push('first'));
    store.defer(() => {
      throw new Error('second');
    });
    store.defer(() => log.push('third'));
    expect(() => store.dispose()).toThrow('second');
    store.dispose();
    expect(log).toEqual(['third', 'first']);
  });

  it('releases at once what comes late', () => {
    const store = new DisposableStore();
    store.dispose();
    let released = false;
    store.add(toDisposable(() => (released = true)));
    expect(released).toBe(true);
  });
});

describe('Emitter', () => {
  it('reaches every listener although one throws, and none that let go', () => {
    const emitter = new Emitter<number>();
    const heard: string[] = [];
    emitter.event(() => {
      throw new Error('mine');
    });
    emitter.event((value) => heard.push(`a${value}`));
    const gone = emitter.event((value) => heard.push(`b${value}`));
    gone.dispose();
    expect(() => emitter.fire(1)).toThrow('mine');
    expect(heard).toEqual(['a1']);
  });

  it('calls a listener that was added twice, twice', () => {
    const emitter = new Emitter<void>();
    let count = 0;
    const listener = (): void => {
      count += 1;
    };
    emitter.event(listener);
    emitter.event(listener);
    emitter.fire();
    expect(count).toBe(2);
  });
});

describe('CancellationSource', () => {
  it('tells once, and at once who asks later; a parent cancels its children', () => {
    const parent = new CancellationSource();
    const child = new CancellationSource(parent.token);
    let told = 0;
    child.token.onCancelled(() => (told += 1));
    expect(child.token.isCancelled).toBe(false);
    parent.cancel();
    parent.cancel();
    expect(child.token.isCancelled).toBe(true);
    child.token.onCancelled(() => (told += 10));
    expect(told).toBe(11);
  });
});

describe('reports', () => {
  it('say where, what, the code and what to do; a stack only on request', () => {
    const error = new CodedError({
      code: 'a/b',
      message: 'It broke.',
      location: { file: '/x.yaml', line: 3, column: 5 },
      hint: 'Mend it.',
    });
    const report = toReport(error, 'unused');
    expect(formatReport(report)).toBe('/x.yaml:3:5: It broke. [a/b]\n  Mend it.');
    expect(formatReport(report, { verbose: true })).toContain('base.test.ts');
  });

  it.each([
    [new TypeError('bad'), 'bad'],
    [new RangeError(''), 'RangeError'],
    ['just text', 'just text'],
    [undefined, 'undefined'],
    [Symbol('odd'), 'Symbol(odd)'],
  ])('can be made of anything thrown: %j', (thrown, message) => {
    expect(toReport(thrown, 'fallback')).toMatchObject({ code: 'fallback', message });
  });
});

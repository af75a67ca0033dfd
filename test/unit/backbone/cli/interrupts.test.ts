import { afterEach, describe, expect, it, vi } from 'vitest';
import { cancelledByInterrupt, onInterrupt } from '../../../../src/base/node/terminal/interrupts.ts';
import { untilInterrupted } from '../../../../src/traces/cli/logView.ts';

afterEach(() => vi.restoreAllMocks());

describe('onInterrupt', () => {
  it('tells of each until disposed', () => {
    const before = process.listenerCount('SIGHUP');
    const seen: string[] = [];
    const watch = onInterrupt((signal) => seen.push(signal));
    for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.emit(signal, signal);
    expect(seen).toEqual(['SIGINT', 'SIGINT', 'SIGTERM', 'SIGHUP']);
    watch.dispose();
    expect(process.listenerCount('SIGHUP')).toBe(before);
  });
});

describe('cancelledByInterrupt', () => {
  it('cancels first, and lets the second end the process', () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const before = process.listenerCount('SIGINT');
    const { source } = cancelledByInterrupt();
    process.emit('SIGINT', 'SIGINT');
    expect([source.token.isCancelled, kill.mock.calls]).toEqual([true, []]);
    process.emit('SIGINT', 'SIGINT');
    expect(kill.mock.calls).toEqual([[process.pid, 'SIGINT']]);
    expect(process.listenerCount('SIGINT')).toBe(before);
  });
});

describe('untilInterrupted', () => {
  it('takes an interrupt that comes before it says how to end it', async () => {
    let dispose = (): void => undefined;
    const ended = new Promise<void>((resolve) => (dispose = resolve));
    const write = vi.fn();
    const before = process.listenerCount('SIGTERM');
    const interrupts = cancelledByInterrupt();
    process.emit('SIGTERM', 'SIGTERM');
    await untilInterrupted({ url: 'http://127.0.0.1:1/', ended, dispose }, interrupts, {
      write,
      colour: false,
    });
    expect(write.mock.calls).toEqual([[expect.stringContaining('Press Ctrl-C')]]);
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });
});

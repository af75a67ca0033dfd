import { afterEach, describe, expect, it, vi } from 'vitest';
import { cancelledByInterrupt, onInterrupt } from '../../../src/node/cli/interrupts.ts';
import { untilInterrupted } from '../../../src/node/cli/logView.ts';

afterEach(() => vi.restoreAllMocks());

describe('onInterrupt', () => {
  it('takes one that comes from the terminal and from the parent as one', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const seen: string[] = [];
    const watch = onInterrupt((signal) => seen.push(signal));
    process.emit('SIGINT', 'SIGINT');
    process.emit('SIGINT', 'SIGINT');
    expect(seen).toEqual(['SIGINT']);
    vi.advanceTimersByTime(1_000);
    process.emit('SIGTERM', 'SIGTERM');
    expect(seen).toEqual(['SIGINT', 'SIGTERM']);
    watch.dispose();
    vi.useRealTimers();
  });
});

describe('cancelledByInterrupt', () => {
  it('cancels first, and lets the second end the process', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const before = process.listenerCount('SIGINT');
    const { source } = cancelledByInterrupt();
    process.emit('SIGINT', 'SIGINT');
    expect([source.token.isCancelled, kill.mock.calls]).toEqual([true, []]);
    vi.advanceTimersByTime(1_000);
    process.emit('SIGINT', 'SIGINT');
    expect(kill.mock.calls).toEqual([[process.pid, 'SIGINT']]);
    expect(process.listenerCount('SIGINT')).toBe(before);
    vi.useRealTimers();
  });
});

describe('untilInterrupted', () => {
  it('takes an interrupt that comes as soon as it says how to end it', async () => {
    let dispose = (): void => undefined;
    const ended = new Promise<void>((resolve) => (dispose = resolve));
    const said: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      said.push(String(text));
      if (process.listenerCount('SIGTERM') > before) process.emit('SIGTERM', 'SIGTERM');
      return true;
    });
    const before = process.listenerCount('SIGTERM');
    await untilInterrupted({ url: 'http://127.0.0.1:1/', ended, dispose });
    expect(said).toEqual([expect.stringContaining('Press Ctrl-C')]);
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });
});

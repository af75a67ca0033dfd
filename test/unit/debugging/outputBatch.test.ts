import { describe, expect, it } from 'vitest';
import { OutputBatch } from '../../../src/debugging/node/agentjetSession.ts';
import { FakeClock } from '../fakeClock.ts';

function batch() {
  const clock = new FakeClock();
  const sent: string[] = [];
  return {
    clock,
    sent,
    output: new OutputBatch(clock, ({ stream, text }) => sent.push(`${stream}:${text}`)),
  };
}

describe('OutputBatch', () => {
  it('gathers what comes close together', () => {
    const { clock, sent, output } = batch();
    output.push({ stream: 'stdout', text: 'a\n' });
    output.push({ stream: 'stdout', text: 'b\n' });
    expect(sent).toEqual([]);
    clock.advance(20);
    expect(sent).toEqual(['stdout:a\nb\n']);
    output.push({ stream: 'stdout', text: 'c' });
    clock.advance(20);
    expect(sent).toHaveLength(2);
  });

  it('keeps the order between the streams', () => {
    const { clock, sent, output } = batch();
    output.push({ stream: 'stdout', text: '1' });
    output.push({ stream: 'stderr', text: '2' });
    output.push({ stream: 'stdout', text: '3' });
    clock.advance(20);
    expect(sent).toEqual(['stdout:1', 'stderr:2', 'stdout:3']);
  });

  it('does not wait where there is much, and loses nothing', () => {
    const { sent, output } = batch();
    for (let line = 0; line < 50_000; line++) output.push({ stream: 'stdout', text: `${'x'.repeat(99)}\n` });
    output.flush();
    expect(sent.length).toBeLessThan(100);
    expect(sent.reduce((sum, text) => sum + text.length - 'stdout:'.length, 0)).toBe(5_000_000);
  });

  it('says nothing after the end', () => {
    const { clock, sent, output } = batch();
    output.push({ stream: 'stdout', text: 'late' });
    output.dispose();
    clock.advance(100);
    output.flush();
    expect(sent).toEqual([]);
  });
});

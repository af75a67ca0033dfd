import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InspectorMessageFilter } from '../../../../src/base/node/process/inspectorMessages.ts';
import { fuzz } from '../../fuzz.ts';

const chatter = [
  'Debugger listening on ws://127.0.0.1:43211/5fd4c0b0-0000-4000-8000-000000000000\n',
  'For help, see: https://nodejs.org/en/docs/inspector\n',
  'Debugger attached.\n',
  'Waiting for the debugger to disconnect...\n',
  'Debugger ending on ws://127.0.0.1:43211/5fd4c0b0-0000-4000-8000-000000000000\n',
];
const own = [
  'hello\n',
  'Debugger attached. Not quite.\n',
  '\n',
  'For help, ask\n',
  '  Debugger attached.\n',
  'ünïcode\n',
];

describe('stderr without the inspector’s lines', () => {
  test('however the text was cut, the user’s lines come out whole and in order', () => {
    const lines = fc.array(fc.constantFrom(...chatter, ...own), { maxLength: 12 });
    fc.assert(
      fc.property(lines, fc.array(fc.nat(400), { maxLength: 20 }), (texts, cuts) => {
        const whole = texts.join('');
        const expected = texts.filter((line) => !chatter.includes(line)).join('');
        const ports: number[] = [];
        const filter = new InspectorMessageFilter(({ port }) => ports.push(Number(port)));
        expect(
          cut(whole, cuts)
            .map((piece) => filter.push(piece))
            .join('') + filter.end(),
        ).toBe(expected);
        expect(ports).toEqual(texts.filter((line) => line === chatter[0]).map(() => 43211));
      }),
      fuzz(7, 3000),
    );
  });

  test('an unfinished line that cannot become one of the inspector’s is passed at once', () => {
    const filter = new InspectorMessageFilter(() => undefined);
    expect(filter.push('working .')).toBe('working .');
    expect(filter.push('. done\nDebug')).toBe('. done\n');
    expect(filter.push('ged')).toBe('Debugged');
    expect(filter.end()).toBe('');
  });

  test('an unfinished line is passed at the end', () => {
    const filter = new InspectorMessageFilter(() => undefined);
    expect(filter.push('Debugger att')).toBe('');
    expect(filter.end()).toBe('Debugger att');
  });

  test('an address of another form is read as well', () => {
    const urls: string[] = [];
    new InspectorMessageFilter((url) => urls.push(url.href)).push(
      'Debugger listening on ws://[::1]:9230/abc\n',
    );
    expect(urls).toEqual(['ws://[::1]:9230/abc']);
  });
});

function cut(text: string, at: readonly number[]): string[] {
  const places = [0, ...at.filter((place) => place < text.length).sort((a, b) => a - b), text.length];
  return places.slice(1).map((end, index) => text.slice(places[index], end));
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FinishedCall } from '../../../../src/backbone/core/model-tuner/call.ts';
import type { ChatRequest } from '../../../../src/backbone/core/model-tuner/model.ts';
import { CodedError } from '../../../../src/base/core/errors.ts';
import { fuzz } from '../../fuzz.ts';
import { asked, read, record } from './recordingBench.ts';

const words = ['a', 'b', '\u2028', '"\\\n', '⟨id 1⟩'];
const message = fc.record({ role: fc.constant('user'), content: fc.constantFrom(...words) });
const tools = fc.constantFrom(undefined, [{ type: 'function', function: { name: 'f' } }], []);

const calls: fc.Arbitrary<FinishedCall[]> = fc
  .array(
    fc.record({ episode: fc.nat(2), messages: fc.array(message, { minLength: 1, maxLength: 5 }), tools }),
    {
      maxLength: 12,
    },
  )
  .map((list) =>
    list.map(({ episode, ...fields }, call) => {
      const request = { model: 'm', seed: call, ...fields } as unknown as ChatRequest;
      return asked('', `answer ${call}`, {
        episode,
        call,
        request: JSON.parse(JSON.stringify(request)) as ChatRequest,
      });
    }),
  );

describe('a recording', () => {
  it('gives back every call', async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (list) => {
        const recording = await read(record(list));
        const wanted = list.map(({ call, request, completion, status }) => ({
          call,
          request,
          completion,
          status,
        }));
        expect(
          recording.calls.map(({ call, request, completion, status }) => ({
            call,
            request,
            completion,
            status,
          })),
        ).toEqual(
          wanted.map(({ request, ...rest }) => {
            const { tools: offered, ...others } = request;
            return { ...rest, request: offered?.length === 0 ? others : request };
          }),
        );
      }),
      fuzz(31, 300),
    );
  });

  it('grows with what is new: a turn adds its own messages', () => {
    const turn = (call: number): FinishedCall => {
      const messages = Array.from({ length: 2 * call + 1 }, (_, at) => ({
        role: 'user' as const,
        content: `message ${at} `.repeat(50),
      }));
      return asked('', 'short', { call, request: { model: 'm', messages } });
    };
    const lines = record(Array.from({ length: 40 }, (_, call) => turn(call))).split('\n');
    const longest = Math.max(...lines.slice(3).map((line) => line.length));
    expect(longest).toBeLessThan(2 * (lines[2]?.length ?? 0));
  });

  it('holds no secret', () => {
    const text = record([asked('my key is s3cret-key', 'not s3cret-key')], { secrets: ['s3cret-key', ''] });
    expect(text).not.toContain('s3cret');
    expect(text).toContain('my key is ***');
  });

  it('leaves out calls that the end of the run gave up', async () => {
    const call = asked('a', '', { status: 499 });
    expect((await read(record([call], { isStopping: true }))).calls).toHaveLength(0);
    expect((await read(record([call]))).calls).toHaveLength(1);
  });
});

const good = record([asked('a', 'A'), asked('b', 'B', { call: 1 })]);
const [head = '', first = '', second = ''] = good.split('\n');

describe('a recording that is broken', () => {
  it.each([
    ['is empty', '', 'recording/not-a-recording', 1],
    ['is something else', 'hello\n', 'recording/not-a-recording', 1],
    ['is JSON of something else', '{"a":1}\n', 'recording/not-a-recording', 1],
    [
      'has half a header',
      `${JSON.stringify({ format: 'agentjet-recording', version: 1 })}\n`,
      'recording/not-a-recording',
      1,
    ],
    ['is of a later version', head.replace('"version":1', '"version":2'), 'recording/version', 1],
    ['has garbage in the middle', `${head}\n${first}\n%%%\n${second}\n`, 'recording/broken-line', 3],
    ['has a line of another kind', `${head}\n{"id":0}\n`, 'recording/broken-line', 2],
    ['has the same call twice', `${head}\n${first}\n${first}\n`, 'recording/broken-line', 3],
    [
      'refers to a call that is not there',
      `${head}\n${second.replace('"messages":{', '"messages":{"from":7,"first":1,')}\n`,
      'recording/broken-line',
      2,
    ],
    [
      'refers to messages that are not there',
      `${head}\n${first}\n${second.replace('"messages":{', '"messages":{"from":0,"first":9,')}\n`,
      'recording/broken-line',
      3,
    ],
  ])('and %s is told with its line', async (_, text, code, line) => {
    await expect(read(text)).rejects.toMatchObject({ code, location: { file: '/calls.jsonl', line } });
  });

  it('and is not there is told', async () => {
    await expect(read(undefined)).rejects.toMatchObject({ code: 'recording/not-found' });
  });

  it('wherever it was cut off, has the calls before that', async () => {
    for (let end = head.length + 1; end <= good.length; end++) {
      const warnings: string[] = [];
      const text = good.slice(0, end);
      const { calls: left } = await read(text, ({ code }) => warnings.push(code));
      const whole = text
        .split('\n')
        .slice(1)
        .filter((line) => line === first || line === second).length;
      expect(left).toHaveLength(whole);
      expect(warnings).toEqual(/\}$|\n$/.test(text) && !isTorn(text) ? [] : ['recording/torn-line']);
    }
  });

  it('never breaks its reader', async () => {
    const anything = fc.tuple(fc.nat(good.length), fc.nat(40), fc.string({ unit: 'binary', maxLength: 20 }));
    await fc.assert(
      fc.asyncProperty(anything, async ([at, cut, text]) => {
        const broken = good.slice(0, at) + text + good.slice(at + cut);
        const outcome: unknown = await read(broken).catch((error: unknown) => error);
        if (outcome instanceof Error) {
          expect(outcome instanceof CodedError ? outcome.location?.line : outcome).toBeGreaterThan(0);
        }
      }),
      fuzz(32, 1000),
    );
  });
});

function isTorn(text: string): boolean {
  const last = text.split('\n').findLast((line) => line !== '') ?? '';
  return ![head, first, second].includes(last);
}

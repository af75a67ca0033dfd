import { describe, expect, it } from 'vitest';
import {
  normalizeRequest,
  VolatileFolder,
  VolatileScanner,
} from '../../../../src/backbone/core/model-tuner/recording/normalizeRequest.ts';
import type { ChatRequest } from '../../../../src/backbone/core/model-tuner/model.ts';

const now = Date.parse('2026-11-22T07:14:06Z');

function fold(text: string): string {
  return new VolatileFolder(new VolatileScanner([now])).text(text);
}

describe('what is volatile', () => {
  it.each([
    '2026-11-22T07:14:06.123Z',
    '2026-11-22 07:14:06+02:00',
    '2026-11-22',
    '2026/11/22 07:14',
    '11/22/2026, 7:14:06 AM',
    '22.11.2026 07:14:06',
    'Sun, 22 Nov 2026 07:14:06 GMT',
    'Sun Nov 22 2026 07:14:06 GMT+0100 (Central European Standard Time)',
    'Sun Nov 22 07:14:06 2026',
    'Sunday, November 22, 2026 at 7:14 AM',
    '22nd November 2026',
    '07:14:06',
    '1795331646',
    '1795331646123',
    '1795331646.123',
    '1795331646123456789',
    '12 ms',
    '3.5µs',
    '0.03s',
    '12.345 seconds',
    '0m0.012s',
  ])('is the time %s', (time) => {
    expect(fold(`It is ${time}.`)).toBe('It is ⟨time⟩.');
  });

  it.each([
    '123e4567-e89b-12d3-a456-426614174000',
    '0123456789abcdef0123456789abcdef',
    'chatcmpl-9fA8dkQ',
    'call_abc123XYZ',
    '507f1f77bcf86cd799439011',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '5b6a9b5',
    '123e4567',
    '0x7f15eefea6c0',
    'tmpk3x_9abz',
    'tmp.Qx7Lp0aZ1k',
  ])('is the id %s', (id) => {
    expect(fold(`Use ${id}, or ${id}.`)).toBe('Use ⟨id 1⟩, or ⟨id 1⟩.');
  });

  it('is a name below the folder for temporary files, and the id of a process', () => {
    expect(fold('/tmp/agent-run-aB3xY9/out.txt')).toBe('/tmp/⟨id 1⟩/out.txt');
    expect(fold('started process 4711, PID: 4712, pid=4711.')).toBe(
      'started process ⟨pid⟩, PID: ⟨pid⟩, pid=⟨pid⟩.',
    );
  });

  it.each(['127.0.0.1:40123', 'localhost:8080', '[::1]:8080'])('is the host %s', (host) => {
    expect(fold(`http://${host}/v1`)).toBe('http://⟨host 1⟩/v1');
  });

  it.each([
    'Born on 1990-01-02, or January 2, 1990',
    'the 13/13/2026 of nothing',
    'call_center and run_tests',
    'What is 12 + 30 * 1795331646?'.replace('1795331646', '2795331646'),
    '+49 1701234567 is a number of 2023',
    'at 10:30, in 5.5 s',
    'deadbeef and facade',
    'tmp, tmpfile and temporary',
    'a process 3 times, 12 pids and 5 minutes',
    '/tmp/data-set/train.jsonl',
    '1000000 and 1.25 m',
    'version 1.2.3 of 192.168.1.1:80',
    'abcdefabcdef 123456789012',
  ])('is nothing in: %s', (text) => {
    expect(fold(text)).toBe(text);
  });

  it('tells ids apart and knows them again', () => {
    const [a, b] = ['0123456789abcdef', 'fedcba9876543210'];
    expect(fold(`${a} ${b} ${a}`)).toBe('⟨id 1⟩ ⟨id 2⟩ ⟨id 1⟩');
  });
});

function keyOf(request: object): number {
  return normalizeRequest(request as ChatRequest, new VolatileScanner([now])).key;
}

describe('the key of a request', () => {
  const call = (id: string): object => ({ id, type: 'function', function: { name: 'add', arguments: '{}' } });
  const request = {
    model: 'any',
    messages: [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: null, tool_calls: [call('x1')] },
      { role: 'tool', tool_call_id: 'x1', content: '5' },
    ],
  };

  it('is the same whatever shapes the transport, samples, or is volatile', () => {
    const [question, , result] = request.messages;
    const other = {
      messages: [
        { content: 'q', role: 'user', name: null },
        { role: 'assistant', tool_calls: [call('y7')] },
        { ...result, tool_call_id: 'y7' },
      ],
      ...{ model: 'other', seed: 5, stream: true, temperature: 0, logprobs: true, tools: [] },
    };
    expect(question?.role).toBe('user');
    expect(keyOf(other)).toBe(keyOf(request));
  });

  it.each([
    ['a text', { messages: [{ role: 'user', content: 'Q' }] }],
    [
      'a result that names another call',
      { messages: [...request.messages.slice(0, 2), { role: 'tool', tool_call_id: 'x2', content: '5' }] },
    ],
    ['a tool', { tools: [{ type: 'function', function: { name: 'add' } }] }],
    ['the form of the answer', { response_format: { type: 'json_object' } }],
    ['how many answers', { n: 2 }],
  ])('differs with %s', (_, change) => {
    expect(keyOf({ ...request, ...change })).not.toBe(keyOf(request));
  });
});

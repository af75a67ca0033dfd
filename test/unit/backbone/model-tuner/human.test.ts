import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  toolNames,
  writeConversation,
  readHumanReply,
} from '../../../../src/backbone/core/model-tuner/human/humanReply.ts';
import type { CallIdentity, ChatRequest } from '../../../../src/backbone/core/model-tuner/model.ts';
import { EpisodeNames } from '../../../../src/backbone/core/model-tuner/recording/episodeNames.ts';
import { CancellationSource, neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { Emitter } from '../../../../src/base/core/event.ts';
import { HumanTerminal } from '../../../../src/backbone/cli/humanTerminal.ts';
import { createHumanModel } from '../../../../src/backbone/node/model-tuner/humanModel.ts';
import type { ModelAnswer, RunEvent } from '../../../../src/backbone/core/protocol/run.ts';
import { FakeClock } from '../../fakeClock.ts';

const tools = ['add', 'look_up'];

describe('what a person writes', () => {
  it.each([
    ['a text', 'It is 5.\n\nReally.', { content: 'It is 5.\n\nReally.', toolCalls: [] }],
    ['an empty answer', '\\', { content: '', toolCalls: [] }],
    ['a call', 'tool add {"a": 1}', { content: '', toolCalls: [{ name: 'add', arguments: '{"a": 1}' }] }],
    ['a call without arguments', 'tool add', { content: '', toolCalls: [{ name: 'add', arguments: '{}' }] }],
    [
      'text and calls over several lines',
      'First I add.\r\ntool add {\r\n  "a": 1\r\n}\r\ntool look_up {"q": "x"}\r\n\\tool add is text',
      {
        content: 'First I add.\ntool add is text',
        toolCalls: [
          { name: 'add', arguments: '{\n  "a": 1\n}' },
          { name: 'look_up', arguments: '{"q": "x"}' },
        ],
      },
    ],
  ])('is %s', (_, text, reply) => {
    expect(readHumanReply(text, tools)).toEqual(reply);
  });

  it('is text where no tool is offered', () => {
    expect(readHumanReply('tool kits are nice', [])).toEqual({
      content: 'tool kits are nice',
      toolCalls: [],
    });
  });

  it.each([
    ['nothing', ' \n ', 0, /the answer is empty/],
    [
      'a tool that is not offered',
      'Well,\ntool subtract {}',
      1,
      /no tool "subtract"\. The tools are add, look_up/,
    ],
    ['arguments that are no object', 'tool add [1]', 0, /not a JSON object/],
    ['arguments that do not end', 'a\ntool add {"a":\n1', 1, /not a JSON object/],
    [
      'arguments that the next call cuts off',
      'tool add {\ntool look_up {}',
      0,
      /tool add is not a JSON object/,
    ],
  ])('is refused with %s', (_, text, line, problem) => {
    expect(readHumanReply(text, tools)).toEqual({ line, problem: expect.stringMatching(problem) as string });
  });
});

const request = {
  model: 'm',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'How many?' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: '5' },
  ],
  tools: [
    { type: 'function', function: { name: 'add', description: 'Adds.', parameters: { type: 'object' } } },
  ],
} as ChatRequest;

it('shows the conversation as Markdown', () => {
  expect(toolNames(request)).toEqual(['add']);
  expect(writeConversation(request)).toMatchInlineSnapshot(`
    "### system

    Be brief.

    ### user

    How many?

    ### assistant

    tool add {"a":1}

    ### tool

    5

    ### tools

    - **add** Adds. \`{"type":"object"}\`"
  `);
});

function humanBench() {
  const names = new EpisodeNames();
  names.begin(0, 't', 0);
  const events: RunEvent[] = [];
  const answers = new Emitter<ModelAnswer>();
  const emit = (event: RunEvent): void => void events.push(event);
  const model = createHumanModel({ names, clock: new FakeClock(), onAnswer: answers.event, emit });
  const call = (number: number): CallIdentity => ({
    ...{ episode: 0, call: number, agentName: 'solver', targetTag: 'main' },
  });
  const told = () => events.map((event) => ('id' in event ? `${event.type} ${event.id}` : event.type));
  return { model, call, events, told, answer: (id: number, text: string) => answers.fire({ id, text }) };
}

describe('a person as the model', () => {
  it('answers one call at a time, in the order in which they came', async () => {
    const { model, call, events, told, answer } = humanBench();
    const first = model.respond(request, neverCancelled, call(0));
    const second = model.respond(request, neverCancelled, call(1));
    expect(events).toMatchObject([
      { type: 'model-asks', id: 0, taskId: 't', agent: 'solver', problem: null },
    ]);
    answer(1, 'too early');
    answer(0, 'tool add {"a": 2}');
    expect(await first).toMatchObject({
      completion: {
        choices: [
          { finish_reason: 'tool_calls', message: { tool_calls: [{ function: { arguments: '{"a": 2}' } }] } },
        ],
      },
    });
    answer(1, 'five');
    expect(await second).toMatchObject({ completion: { choices: [{ message: { content: 'five' } }] } });
    expect(told()).toEqual(['model-asks 0', 'model-asks-no-more 0', 'model-asks 1', 'model-asks-no-more 1']);
  });

  it('is asked again, with the reason, for what cannot be read', async () => {
    const { model, call, events, answer } = humanBench();
    const reply = model.respond(request, neverCancelled, call(0));
    answer(0, 'tool multiply {}');
    expect(events[1]).toMatchObject({ type: 'model-asks', id: 0, problem: { line: 0 } });
    answer(0, 'well');
    expect(await reply).toMatchObject({ kind: 'completion' });
  });

  it('is asked no more for a call that is given up', async () => {
    const { model, call, told, answer } = humanBench();
    const [source, other] = [new CancellationSource(), new CancellationSource()];
    const replies = [
      model.respond(request, source.token, call(0)),
      model.respond(request, other.token, call(1)),
      model.respond(request, neverCancelled, call(2)),
    ];
    other.cancel();
    source.cancel();
    answer(0, 'too late');
    answer(2, 'in time');
    expect(await Promise.all(replies)).toMatchObject([
      { status: 499 },
      { status: 499 },
      { kind: 'completion' },
    ]);
    expect(told()).toEqual(['model-asks 0', 'model-asks-no-more 0', 'model-asks 2', 'model-asks-no-more 2']);
  });
});

describe('the terminal', () => {
  const asks: RunEvent = {
    ...{ type: 'model-asks', id: 3, taskId: 't', repeat: 0, call: 1, agent: 'solver' },
    ...{ conversation: '### user\n\nHow many?', tools: ['add'], waiting: 1, problem: null },
  };

  function bench() {
    const input = new PassThrough();
    const output = new PassThrough({ encoding: 'utf8' });
    const answers: ModelAnswer[] = [];
    let interrupts = 0;
    let heard: () => void = () => undefined;
    const terminal = new HumanTerminal({
      input,
      output,
      terminal: false,
      answer: (answer) => {
        answers.push(answer);
        heard();
      },
      interrupt: () => {
        interrupts += 1;
        heard();
      },
    });
    /** Until the next answer or interrupt that follows from what is typed. */
    const type = (text: string): Promise<void> =>
      new Promise((resolve) => {
        heard = resolve;
        input.write(text);
      });
    return {
      input,
      terminal,
      answers,
      type,
      shown: () => String(output.read()),
      interrupts: () => interrupts,
    };
  }

  it('shows the call and takes the lines up to the dot', async () => {
    const { terminal, answers, type, shown } = bench();
    terminal.take(asks);
    expect(shown()).toMatch(
      /LLM call 1 of task t, repeat 0, by agent "solver" \(1 more waiting\)[^]*How many\?[^]*tool NAME/,
    );
    await type('tool add {\n}\n.\n');
    expect(answers).toEqual([{ id: 3, text: 'tool add {\n}' }]);
    terminal.take({ ...asks, problem: { message: 'it is wrong', line: 1 } });
    expect(shown()).toContain('Line 2: it is wrong.');
    await type('5\n.\n');
    expect(answers[1]).toEqual({ id: 3, text: '5' });
    terminal.close();
  });

  it('ends the run with its input, and not with the run', async () => {
    const { terminal, input, interrupts } = bench();
    terminal.take(asks);
    const ended = new Promise((resolve) => input.once('close', resolve));
    input.end();
    await ended;
    expect(interrupts()).toBe(1);
    const other = bench();
    other.terminal.close();
    expect(other.interrupts()).toBe(0);
  });
});

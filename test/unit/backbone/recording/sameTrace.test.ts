/** Replaying a recording gives the same trace, but for times, ids and the order in which parallel calls arrive. */
import fc from 'fast-check';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { RunTracker } from '../../../../src/backbone/core/context-tracker/runTracker.ts';
import type { FinishedCall, ContextGuard } from '../../../../src/backbone/core/model-tuner/call.ts';
import { createBuiltInModel } from '../../../../src/backbone/core/model-tuner/built-in/builtInModel.ts';
import { createGateway } from '../../../../src/backbone/core/model-tuner/gateway.ts';
import type { ChatModel } from '../../../../src/backbone/core/model-tuner/model.ts';
import { RecordingWriter } from '../../../../src/backbone/core/model-tuner/recording/recordingWriter.ts';
import { EpisodeNames } from '../../../../src/backbone/core/model-tuner/recording/episodeNames.ts';
import { Replay } from '../../../../src/backbone/core/model-tuner/recording/replayModel.ts';
import { createTuner } from '../../../../src/backbone/core/model-tuner/tuner.ts';
import type { TracedMessage } from '../../../../src/tracking/core/records/trace.ts';
import { createModelFetch } from '../../../../src/backbone/node/model-tuner/modelServer.ts';
import { createEpisodeTracker } from '../../../../src/tracking/core/episodeTracker.ts';
import { letters, NotingWriter, tracking } from '../recording.ts';
import { FakeClock } from '../../fakeClock.ts';
import { fuzz } from '../../fuzz.ts';
import { sampling } from '../model-tuner/tunerBench.ts';
import { header, read, recordingFile } from './recordingBench.ts';

type Message = OpenAI.Chat.ChatCompletionMessageParam;

/** One thing that a workflow does. */
interface Step {
  readonly agent: number;
  readonly question: number;
  readonly stream: boolean;
  readonly tools: boolean;
  /** Questions that are asked at the same time, each in a conversation of its own. */
  readonly beside: readonly number[];
}

const step: fc.Arbitrary<Step> = fc.record({
  agent: fc.nat(2),
  question: fc.nat(3),
  stream: fc.boolean(),
  tools: fc.boolean(),
  beside: fc.array(fc.nat(3), { maxLength: 3 }),
});
const episodes = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 });

const add: OpenAI.Chat.ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'add',
    parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  },
};

/** What differs from run to run. */
interface World {
  readonly run: number;
  /** Whether parallel calls are begun the other way round. */
  readonly reversed: boolean;
}

function uuidOf({ run }: World, part: number): string {
  return `${run}${part}`.padStart(8, 'a').slice(-8) + '-1111-2222-3333-444444444444';
}

async function ask(client: OpenAI, messages: Message[], { stream, tools }: Step): Promise<Message> {
  const request = { model: 'any', messages, ...(tools && { tools: [add] }) };
  if (!stream) {
    const { choices } = await client.chat.completions.create(request);
    return choices[0]?.message ?? { role: 'assistant', content: '' };
  }
  let content = '';
  const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = [];
  for await (const { choices } of await client.chat.completions.create({ ...request, stream: true })) {
    const delta = choices[0]?.delta;
    content += delta?.content ?? '';
    for (const { index, id, function: part } of delta?.tool_calls ?? []) {
      const call = (calls[index] ??= {
        id: id ?? '',
        type: 'function',
        function: { name: '', arguments: '' },
      });
      call.function.name += part?.name ?? '';
      call.function.arguments += part?.arguments ?? '';
    }
  }
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
}

/** Asks as its steps say, with a time, ids and a port of this run in what it asks. */
async function workflow(steps: readonly Step[], world: World, clientOf: (agent: number) => OpenAI) {
  const histories = new Map<number, Message[]>();
  for (const [at, one] of steps.entries()) {
    const volatile = `session ${uuidOf(world, at)} at 2026-11-2${world.run}T10:00:00Z, http://127.0.0.1:4${world.run}23${at}`;
    const question = `Tom has ${one.question + 2} apples and buys ${at} more. How many apples does Tom have?`;
    const history = histories.get(one.agent) ?? [{ role: 'system', content: `You are agent ${one.agent}.` }];
    histories.set(one.agent, history);
    history.push({ role: 'user', content: `${volatile}\n${question}` });
    const client = clientOf(one.agent);
    const beside = one.beside.map(
      (other) => (): Promise<Message> =>
        ask(client, [{ role: 'user', content: `${volatile}: what is ${other} + ${at}?` }], {
          ...one,
          tools: false,
        }),
    );
    const calls = [() => ask(client, history, one), ...beside];
    const begun = world.reversed
      ? calls.map((_, index) => calls.length - 1 - index)
      : calls.map((_, index) => index);
    const replies = await Promise.all(begun.map(async (index) => ({ index, reply: await calls[index]?.() })));
    const reply = replies.find(({ index }) => index === 0)?.reply;
    if (reply?.role !== 'assistant') throw new Error('A reply is an assistant message.');
    history.push(reply);
    for (const { id } of reply.tool_calls ?? [])
      history.push({ role: 'tool', tool_call_id: id, content: uuidOf(world, 90) });
  }
}

/** Notes every message with its tokens, as the trace has them. */
class WholeWriter extends NotingWriter {
  readonly lines: string[] = [];

  override callEnded: NotingWriter['callEnded'] = (call, messages) => {
    const rest = { ...call, startedAt: 0, seconds: 0, askedAfter: null, firstAfter: null, options: null };
    const asked = { ...(JSON.parse(call.options) as object), seed: 0 };
    const texts = messages.map(({ message }: { message: TracedMessage }) => [
      ...[message.role, message.author, message.text, message.toolCalls],
      ...[[...message.lossMask].join(''), message.logprobs && [...message.logprobs].join()],
    ]);
    this.lines.push(JSON.stringify([rest, asked, texts]));
  };

  override episodeEnded: NotingWriter['episodeEnded'] = ({ result, timelines }) => {
    this.lines.push(JSON.stringify([result.tracking, timelines]));
  };
}

async function run(
  plan: readonly (readonly Step[])[],
  world: World,
  modelOf: (names: EpisodeNames) => ChatModel | Promise<ChatModel>,
) {
  const names = new EpisodeNames();
  const clock = new FakeClock();
  const writer = new WholeWriter();
  const lines: string[] = [];
  const calls: FinishedCall[] = [];
  const toFile = new RecordingWriter({
    header,
    sink: { file: recordingFile, append: (line) => lines.push(line) },
    names,
    secrets: [],
    isStopping: () => false,
    warn: (problem) => {
      throw problem;
    },
  });
  const limits = { modelLength: 1e6, promptLength: 1e6, responseLength: 1e6, turnLength: 1e6 };
  const recorder = new RunTracker({
    text: { note: letters.note, open: () => Promise.resolve(letters) },
    tracking: { ...tracking, limits },
    createTracker: createEpisodeTracker,
    openTrace: () => writer,
    clock,
    warn: (problem) => {
      throw problem;
    },
  });
  const gateway = createGateway({
    model: await modelOf(names),
    debugModel: () => Promise.reject(new Error('There is none.')),
    sampling,
    seed: 42,
    clock,
    logger: { log: () => undefined },
    observer: {
      onCall: (call) => {
        calls.push(call);
        toFile.take(call);
        recorder.callEnded(call);
      },
    },
  });
  for (const [episode, steps] of plan.entries()) {
    names.begin(episode, `t${episode}`, 0);
    const episodeUuid = uuidOf(world, 70 + episode).replaceAll('-', '');
    const started = { episode, uuid: episodeUuid, taskId: `t${episode}`, taskIndex: episode, repeat: 0 };
    recorder.episodeStarted({ ...started, query: '', startedAt: 0 });
    const guard: ContextGuard = (call) => recorder.callBegins(call);
    const handle = gateway.openEpisode({ episodeUuid, episode, seed: episode, address: '', guard });
    const tuner = createTuner({
      baseUrl: 'http://127.0.0.1:1/v1',
      targets: null,
      debugModels: [],
      fetchFor: () => createModelFetch(gateway.handle),
      apiKeyFor: handle.apiKeyFor.bind(handle),
      contextOverflow: () => handle.contextOverflow,
    });
    await workflow(steps, world, (agent) => tuner.asOpenAIClient({ agentName: `agent${agent}` }));
    handle.close();
    const outcome = { reward: 1, isSuccess: true, llmCalls: handle.llmCalls, seconds: 0, error: null };
    await recorder.episodeEnded({ episode, taskId: `t${episode}`, repeat: 0, ...outcome });
  }
  return {
    lines: writer.lines.map((line) => settled(line, world)),
    recording: `${lines.join('\n')}\n`,
    calls,
  };
}

/** Without what is the world's. */
function settled(line: string, world: World): string {
  return (
    line
      .replaceAll(
        /a*\d+-1111-2222-3333-444444444444/g,
        (id) => `<${id.replaceAll('a', '').slice(String(world.run).length)}>`,
      )
      .replaceAll(/2026-11-2\d/g, '<day>')
      .replaceAll(/127\.0\.0\.1:4\d23/g, '<host>:')
      // Excerpts, which may begin or end inside one of these.
      .replaceAll(/ \(\\+"[^]*?\)\. The episode has/g, '. The episode has')
  );
}

describe('a replayed run', () => {
  const live = (): ChatModel => createBuiltInModel({ seed: 42 });
  const recorded = { run: 1, reversed: false };

  async function replay(plan: readonly (readonly Step[])[], recording: string, world: World) {
    const parsed = await read(recording);
    const created = { ...parsed.header, createdAt: '2026-11-21T10:00:00.000Z' };
    return run(plan, world, (names) =>
      new Replay({
        recording: { ...parsed, header: created },
        onMiss: 'fail',
        names,
        clock: { now: () => Date.parse('2026-11-22T10:00:00Z'), after: () => ({ dispose: () => undefined }) },
        logger: { log: () => undefined },
      }).inPlaceOf(undefined),
    );
  }

  it('has the trace of the run that was recorded', async () => {
    await fc.assert(
      fc.asyncProperty(episodes, async (plan) => {
        const first = await run(plan, recorded, live);
        expect(first.calls.filter(({ status }) => status !== 200)).toEqual([]);
        const again = await replay(plan, first.recording, { run: 2, reversed: false });
        expect(again.lines).toEqual(first.lines);
      }),
      fuzz(41, 300),
    );
  });

  it('gives every call its own answer, in whatever order parallel ones arrive', async () => {
    await fc.assert(
      fc.asyncProperty(episodes, async (plan) => {
        const first = await run(plan, recorded, live);
        const again = await replay(plan, first.recording, { run: 2, reversed: true });
        const answers = ({ calls }: typeof first, world: World): readonly string[] =>
          calls
            .map(({ agentName, request, completion, status }) =>
              settled(JSON.stringify([agentName, request.messages, completion?.choices, status]), world),
            )
            .toSorted();
        expect(answers(again, { run: 2, reversed: true })).toEqual(answers(first, recorded));
      }),
      fuzz(42, 300),
    );
  });
});

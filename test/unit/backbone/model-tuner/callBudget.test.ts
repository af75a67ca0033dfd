import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../../src/base/core/errors.ts';
import { neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { CallBudget, type CallLimits } from '../../../../src/backbone/core/model-tuner/callBudget.ts';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatModel,
  ModelReply,
} from '../../../../src/backbone/core/model-tuner/model.ts';

const request = { model: 'm', messages: [{ role: 'user' as const, content: 'twelve chars' }] };
const call = { episode: 0, call: 0, agentName: 'a', targetTag: 'a' };
const usage = { prompt_tokens: 30, completion_tokens: 10, total_tokens: 40 };

function modelWith(reply: () => ModelReply): ChatModel {
  return { description: 'm', respond: () => Promise.resolve(reply()) };
}

const completion = (extra: object): ModelReply => ({
  kind: 'completion',
  completion: { choices: [], ...extra } as unknown as ChatCompletion,
});

/** Returns the kinds of the replies to some calls, and whether the limit was reported. */
async function repliesOf(limits: CallLimits, count: number, reply: () => ModelReply) {
  const budget = new CallBudget(limits);
  let reports = 0;
  budget.onReached(() => (reports += 1));
  const model = budget.around(modelWith(reply));
  const kinds: string[] = [];
  for (let n = 0; n < count; n++) {
    const answer = await model.respond(request, neverCancelled, call);
    if (answer.kind === 'stream') for await (const batch of answer.chunks) expect(batch).not.toEqual([]);
    kinds.push(answer.kind === 'error' ? (answer.report?.code ?? '') : answer.kind);
  }
  return { kinds, reports, isReached: budget.isReached };
}

const limited = 'model/limit-reached';

describe('the budget of calls', () => {
  it('lets every call through without limits', () => {
    const model = modelWith(() => completion({ usage }));
    expect(new CallBudget({}).around(model)).toBe(model);
  });

  it('refuses calls above the limit, and reports it once', async () => {
    const { kinds, reports, isReached } = await repliesOf({ maxCalls: 2 }, 4, () => completion({ usage }));
    expect(kinds).toEqual(['completion', 'completion', limited, limited]);
    expect({ reports, isReached }).toEqual({ reports: 1, isReached: true });
  });

  it('does not report a limit that was only met', async () => {
    expect(await repliesOf({ maxCalls: 2 }, 2, () => completion({ usage }))).toMatchObject({
      isReached: false,
      reports: 0,
    });
  });

  it('refuses all calls after another limit of the run', async () => {
    const budget = new CallBudget({ canEnd: true });
    let reports = 0;
    budget.onReached(() => (reports += 1));
    const model = budget.around(modelWith(() => completion({ usage })));
    expect((await model.respond(request, neverCancelled, call)).kind).toBe('completion');
    budget.end(new CodedError({ code: limited, message: 'The limit of hours is reached.' }));
    expect(await model.respond(request, neverCancelled, call)).toMatchObject({
      kind: 'error',
      report: { message: 'The limit of hours is reached.' },
    });
    expect({ reports, isReached: budget.isReached }).toEqual({ reports: 1, isReached: true });
  });

  it('counts the tokens that the server reports', async () => {
    const { kinds } = await repliesOf({ maxTokens: 80 }, 3, () => completion({ usage }));
    expect(kinds).toEqual(['completion', 'completion', limited]);
  });

  it('estimates the tokens of a server that reports none', async () => {
    const long = { choices: [{ message: { content: 'word '.repeat(100) } }] };
    expect((await repliesOf({ maxTokens: 100 }, 2, () => completion(long))).kinds).toEqual([
      'completion',
      limited,
    ]);
  });

  it('counts the tokens of streams', async () => {
    const chunks = (last: object): (() => ModelReply) => {
      async function* parts() {
        await Promise.resolve();
        yield [{ choices: [{ delta: { content: 'a' } }] }] as unknown as ChatCompletionChunk[];
        yield [{ choices: [], ...last }] as unknown as ChatCompletionChunk[];
      }
      return () => ({ kind: 'stream', chunks: parts() });
    };
    expect((await repliesOf({ maxTokens: 40 }, 2, chunks({ usage }))).kinds).toEqual(['stream', limited]);
    expect((await repliesOf({ maxTokens: 10 }, 2, chunks({}))).kinds).toEqual(['stream', limited]);
  });
});

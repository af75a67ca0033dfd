/** An episode whose calls fork in several ways, recorded as a run does it. */
import type { TracedMessage, TracedToken } from '../../../src/tracking/core/records/trace.ts';
import { answer, assistant, Episode, system, user } from '../../unit/tracking/episode.ts';
import { aCall, anEpisode, aResult, aRun } from '../../unit/traces/samples.ts';
import { dayZero } from './records.ts';
import { RealTrace } from './realTrace.ts';

const tool = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } });
const next = { role: 'user', content: 'and with three cats' };

/** Requests, and replies in the pieces that the model made. */
const asks: readonly {
  readonly messages: readonly unknown[];
  readonly reply: readonly string[];
  readonly agent?: string;
  readonly tools?: readonly unknown[];
}[] = [
  { messages: [system, user], reply: ['it', ' i', 's 96'] },
  { messages: [system, user, assistant('it is 96'), next], reply: ['it is 108'] },
  { messages: [system, user, assistant('96'), next], reply: ['it is 108'], tools: [tool('add')] },
  {
    messages: [system, user, assistant('96'), next, assistant('it is 108'), user],
    reply: ['again 96'],
    tools: [tool('multiply')],
  },
  { messages: [{ role: 'system', content: 'you judge' }, user], reply: ['yes'], agent: 'judge' },
];

export function forkedEpisode(): RealTrace {
  const merging = { compareLevel: 'text', ignoreTools: false } as const;
  const tokenizer = { name: 'tiny', exact: true, file: '/models/tiny/tokenizer.json' };
  const run = aRun({
    startedAt: dayZero,
    repeat: 1,
    tokenizer,
    merging: { ...merging, fixesDrift: true, toolCallsDisabled: false },
  });
  return new RealTrace(run, (writer) => {
    const episode = new Episode({ merging });
    const { tokenizer: words } = episode.text;
    const known = new Set<number>();
    const newTokens = (messages: readonly TracedMessage[]): TracedToken[] => {
      const ids = new Set(messages.flatMap(({ tokenIds }) => [...tokenIds]));
      const fresh = [...ids].filter((id) => !known.has(id));
      for (const id of fresh) known.add(id);
      return fresh.map((id) => ({ id, bytes: words.bytesOf(id), special: words.isSpecial(id) }));
    };
    writer.episodeStarted(anEpisode(0, { startedAt: dayZero }));
    asks.forEach(({ messages, reply, agent = 'solver', tools = null }, call) => {
      const tokens = [...reply, '<|im_end|>'].flatMap((piece) =>
        words.encode(piece).map((id) => ({ id, bytes: [], logprob: -0.5 })),
      );
      const { added, ...tracked } = episode.call(messages, answer(reply.join(''), { tokens }), tools, {
        agent,
      });
      const startedAt = dayZero + 1_000 * call;
      const row = { ...tracked, agent, startedAt, tools: tools && JSON.stringify(tools) };
      writer.callEnded(aCall(0, call, row), added, newTokens(added.map(({ message }) => message)));
    });
    const { timelines, added, tracking } = episode.end();
    writer.episodeEnded({ result: aResult(0, { reward: 1, tracking }), timelines }, added);
  });
}

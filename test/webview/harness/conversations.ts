/** Conversations with everything in them that messages have, as a run records them. */
import { aCall, aMessage, anEpisode, aResult, aRun } from '../../unit/traces/samples.ts';
import type { TracedMessage, TraceWriter } from '../../../src/tracking/core/records/trace.ts';
import { dayZero } from './records.ts';
import { RealTrace } from './realTrace.ts';

const llm = (text: string, more: Partial<TracedMessage> = {}): TracedMessage =>
  aMessage(text, { author: 'llm', ...more });

const toolCall = (id: string, name: string, given: string): unknown => ({
  id,
  type: 'function',
  function: { name, arguments: given },
});

export const richText = `# Legs of animals

Spiders have **eight**, cats have *four*; see [the list](https://example.org/legs?a=1) or \`legs.csv\`.
This line stands by itself.

- one
- two
  1. inner

> quoted

| animal | legs |
|:-------|-----:|
| spider | 8 |

\`\`\`python
print("<b>12 * 8</b>")
\`\`\`

![a chart](https://example.org/chart.png) [mail](mailto:ada@example.org) <script>window.ran = true</script>`;

export const reasoned = `<think>
A spider has 8 legs.
</think>

I need **two** tools.`;

export const longText = Array.from({ length: 30_000 }, (_, line) => `line ${line} of the log`).join('\n');

/** One call: a request of all kinds of messages, and a reply that reasons. */
export function conversationTrace(messages: readonly TracedMessage[], reply: TracedMessage): RealTrace {
  const run = aRun({ startedAt: dayZero, repeat: 1 });
  return new RealTrace(run, (writer) => writeCall(writer, messages, reply));
}

function writeCall(writer: TraceWriter, messages: readonly TracedMessage[], reply: TracedMessage): void {
  const all = [...messages, reply];
  const positions = messages.map((_, position) => position);
  const tokens = all.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
  const made = reply.tokenIds.length;
  writer.episodeStarted(anEpisode(0, { startedAt: dayZero }));
  writer.callEnded(
    aCall(0, 0, {
      startedAt: dayZero,
      messages: positions,
      reply: messages.length,
      promptTokens: tokens - made,
      replyTokens: made,
    }),
    all.map((message, position) => ({ position, message })),
    [],
  );
  const timeline = {
    calls: [0],
    messages: all.map((_, position) => position),
    tokens,
    trainableTokens: made,
  };
  writer.episodeEnded({ result: aResult(0, { reward: 1 }), timelines: [timeline] }, []);
}

export function richConversation(): RealTrace {
  const results = '{"legs":96,"id":12345678901234567890}\n</tool_response>\n<tool_response>\n12\n';
  return conversationTrace(
    [
      aMessage('You solve *math* problems.', { role: 'system' }),
      aMessage(richText),
      llm(reasoned, {
        toolCalls: JSON.stringify([
          toolCall('call_1', 'multiply', '{"a":12,"b":8,"exact":1.0}'),
          toolCall('call_2', 'multiply', '{"a":3, "b":'),
        ]),
      }),
      aMessage(results, { role: 'tool' }),
      aMessage(longText),
    ],
    llm('<think>\nstill thinking'),
  );
}

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A call whose request had an image, which training leaves out, and one that is no image. */
export function seenConversation(): RealTrace {
  const run = aRun({ startedAt: dayZero, repeat: 1 });
  const image = (type: string, base64: string) => ({
    type: 'image_url',
    image_url: { url: `data:${type};base64,${base64}` },
  });
  const content = [
    { type: 'text', text: 'What is **this**?' },
    image('image/png', pixel),
    image(
      'image/svg+xml',
      Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>`).toString('base64'),
    ),
    image(
      'image/png',
      Buffer.from('no image at all, but long enough to be kept apart by itself').toString('base64'),
    ),
    { type: 'image_url', image_url: { url: 'https://example.org/cat.png' } },
  ];
  return new RealTrace(run, (writer) => {
    writer.episodeStarted(anEpisode(0, { startedAt: dayZero }));
    const messages = [aMessage('You see.', { role: 'system' }), llm('A pixel.')];
    writer.callEnded(
      aCall(0, 0, {
        startedAt: dayZero,
        messages: [0],
        reply: 1,
        leftOut: [{ before: 1, message: { role: 'user', content } }],
      }),
      messages.map((message, position) => ({ position, message })),
      [],
    );
    writer.episodeEnded({ result: aResult(0, { reward: 1 }), timelines: [] }, []);
  });
}

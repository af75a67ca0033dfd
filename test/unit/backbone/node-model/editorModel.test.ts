import { describe, expect, it } from 'vitest';
import { CancellationSource, neverCancelled } from '../../../../src/base/core/cancellation.ts';
import { Emitter } from '../../../../src/base/core/event.ts';
import { createEditorModel } from '../../../../src/backbone/node/model-tuner/editorModel.ts';
import type { ModelAnswer, RunEvent } from '../../../../src/backbone/core/protocol/run.ts';

const messages = [{ role: 'user' as const, content: 'hello' }];
const call = { episode: 0, call: 0, agentName: 'a', targetTag: 'a' };

function opened() {
  const answers = new Emitter<ModelAnswer>();
  const events: RunEvent[] = [];
  const model = createEditorModel({
    model: 'copilot-small',
    clock: { now: () => 0 },
    onAnswer: answers.event,
    emit: (event) => events.push(event),
  });
  const reply = (id: number, value: unknown): void => answers.fire({ id, text: JSON.stringify(value) });
  const respond = (cancellation = neverCancelled) =>
    model.respond({ model: 'm', messages }, cancellation, call);
  return { model, events, reply, respond };
}

describe('a language model of the editor', () => {
  it('answers parallel calls, each with its reply', async () => {
    const { model, events, reply, respond } = opened();
    const both = Promise.all([respond(), respond()]);
    reply(1, { content: 'second' });
    reply(0, { content: 'first' });
    const contents = (await both).map((one) =>
      one.kind === 'completion' ? one.completion.choices[0]?.message.content : one.kind,
    );
    expect(contents).toEqual(['first', 'second']);
    expect(model.description).toContain('copilot-small');
    expect(events).toMatchObject([
      { type: 'model-request', id: 0, model: 'copilot-small', messages },
      { type: 'model-request', id: 1 },
    ]);
  });

  it.each([[{ error: 'no access' }], ['nothing that fits a message'], [{ content: 5 }]])(
    'fails for %j',
    async (value) => {
      const { reply, respond } = opened();
      const answered = respond();
      reply(0, typeof value === 'string' ? { choices: value } : value);
      expect(await answered).toMatchObject({ kind: 'error', status: 502, report: { code: 'model/editor' } });
    },
  );

  it('withdraws a canceled call, and ignores its late reply', async () => {
    const { events, reply, respond } = opened();
    const source = new CancellationSource();
    const answered = respond(source.token);
    source.cancel();
    expect(await answered).toMatchObject({ kind: 'error', status: 499 });
    reply(0, { content: 'late' });
    expect(events.at(-1)).toEqual({ type: 'model-request-cancelled', id: 0 });
  });
});

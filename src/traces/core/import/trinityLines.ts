/**
 * Experiences of Trinity-RFT as JSON, one a line, such as `explorer_output.jsonl`: messages or texts, rewards and metrics.
 * Its writer leaves tokens, masks and log probabilities out.
 */
import { isRecord } from '../../../base/core/isRecord.ts';
import { shallowJson } from '../shallowJson.ts';
import { numberOf } from './chat.ts';
import { eachValue } from './eachValue.ts';
import type { Importer } from './parts.ts';
import { experienceParts, plainText } from './trinity.ts';

export const trinityLines: Importer = {
  id: 'trinity-lines',
  label: 'Trinity-RFT experiences in JSON',
  rollouts: true,
  run: async (source, sink) => {
    for await (const { where, text } of eachValue(source, ['', '*'], sink)) {
      const value = shallowJson(text);
      if (!isTrinityExperience(value)) {
        sink.skip(where, value === undefined ? 'it is not JSON' : 'it is no experience of Trinity-RFT');
        continue;
      }
      const { batch, task, run } = value.eid;
      // Which of the pair a reply is of is not the trace's to tell: what training prefers is shown.
      const fields = { ...value, messages: value['messages'] ?? value['chosen_messages'] };
      const group = [batch, task].map(plainText).filter(Boolean).join('/');
      const parts = experienceParts(
        { value: (name) => (fields as Fields)[name] ?? undefined, numbers: () => undefined },
        { task: group, reward: numberOf(value['reward']) },
      );
      sink.add(`${group}/${plainText(run)}`, ...parts);
    }
  },
};

type Fields = Readonly<Record<string, unknown>>;

/** Whether a value looks like one of them. */
export function isTrinityExperience(value: unknown): value is Fields & { readonly eid: Fields } {
  if (!isRecord(value) || !isRecord(value['eid'])) return false;
  return (
    ['batch', 'task', 'run', 'step'].every((name) => name in (value['eid'] as Fields)) &&
    'prompt_length' in value
  );
}

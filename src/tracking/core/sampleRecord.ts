import type { LengthLimits } from './records/tracedRun.ts';
import type { TracedMessage } from './records/trace.ts';
import type { TrainingSample } from './samples.ts';

/** The owner of a sample, with the field names of upstream. */
export interface SampleOwner {
  readonly task_batch_index: number;
  readonly task_id: string;
  /** Upstream's `T<task_id>#R<repeat>`. */
  readonly task_tag: string;
  readonly step_reward: number;
  /** NaN if there is no reference; see `BatchSample`. */
  readonly reference_advantage: number;
}

/** Upstream's `Sample`, field by field. */
export interface SampleRecord
  extends
    Omit<SampleOwner, 'reference_advantage'>,
    Split<'ids'>,
    Split<'attention_mask'>,
    Split<'position_ids'>,
    Split<'loss_mask'>,
    Split<'logprobs'> {
  /** Null: not a number. */
  readonly reference_advantage: number | null;
  readonly messages: readonly SampleMessage[];
  /** Nothing fills it. */
  readonly extras: Readonly<Record<string, never>>;
  /** `ajet.data.max_prompt_length` and `max_response_length`, and the two together. */
  readonly max_prompt_len: number;
  readonly max_response_len: number;
  readonly max_model_len: number;
}

interface SampleMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: string;
}

export function sampleRecord(
  owner: SampleOwner,
  messages: readonly TracedMessage[],
  sample: TrainingSample,
  { promptLength, responseLength }: Pick<LengthLimits, 'promptLength' | 'responseLength'>,
): SampleRecord {
  const { inputIds, promptTokens } = sample;
  const { reference_advantage, ...rest } = owner;
  return {
    ...rest,
    reference_advantage: Number.isNaN(reference_advantage) ? null : reference_advantage,
    messages: messages.map(sampleMessage),
    extras: {},
    ...split('ids', [...inputIds], promptTokens),
    ...split(
      'attention_mask',
      Array.from(inputIds, () => 1),
      promptTokens,
    ),
    ...split('position_ids', [...inputIds.keys()], promptTokens),
    ...split('loss_mask', [...sample.lossMask], promptTokens),
    ...split('logprobs', Array.from(sample.logprobs, shortest), promptTokens),
    max_prompt_len: promptLength,
    max_response_len: responseLength,
    max_model_len: promptLength + responseLength,
  };
}

type ListName = 'ids' | 'attention_mask' | 'position_ids' | 'loss_mask' | 'logprobs';

/** Numbers of each token, whole and in parts. Positions count on in the response. A missing log probability is 0. */
type Split<Name extends ListName> = Readonly<
  Record<(Name extends 'ids' ? 'input_ids' : Name) | `prompt_${Name}` | `response_${Name}`, readonly number[]>
>;

/** The whole list, the prompt's part and the response's. */
function split<Name extends ListName>(name: Name, values: readonly number[], at: number): Split<Name> {
  return {
    [name === 'ids' ? 'input_ids' : name]: values,
    [`prompt_${name}`]: values.slice(0, at),
    [`response_${name}`]: values.slice(at),
  } as Split<Name>;
}

/** The digits that a 32-bit number has. */
function shortest(value: number): number {
  return Number(value.toPrecision(7));
}

function sampleMessage({ role, text, toolCalls, toolCallId }: TracedMessage): SampleMessage {
  return {
    role,
    content: text,
    ...(toolCalls !== null && { tool_calls: JSON.parse(toolCalls) as unknown }),
    ...(toolCallId !== null && { tool_call_id: toolCallId }),
  };
}

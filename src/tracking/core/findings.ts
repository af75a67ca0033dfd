/** The table of all findings of a training report, with their subject, severity and remedy. */

import { episodeKinds } from './findings/episodes.ts';
import { requestKinds } from './findings/requests.ts';
import { timelineKinds } from './findings/timelines.ts';
import type { FindingKind } from './findingKind.ts';

const runKinds = {
  'approximate-tokenizer': {
    level: 'run',
    severity: 'warning',
    title: 'The tokenizer is not the model’s',
    explanation:
      'This machine does not have the `tokenizer.json` of the model, so the built-in tokenizer (Qwen2.5) replaces it. Token ids are those of Qwen2.5, and lengths are approximate. Near a limit, `near-limit` replaces the exact findings.',
    hint: 'Run AgentJet: Fetch Tokenizer to download the tokenizer of `ajet.model.path`, or name one with --tokenizer (launch.json: tokenizer).',
  },
  'duplicate-task-id': {
    level: 'run',
    target: 'key:ajet.task_reader.type',
    severity: 'warning',
    title: 'Different tasks have the same id',
    explanation:
      'Training finds the task of a sample by its `task_id`. Tasks that have the same id, or no id, become one group. Their rewards are compared with each other, and pass@n counts them as one task.',
    hint: 'Give every row of the data set its own `task_id`.',
  },
  'judge-unused': {
    level: 'run',
    target: 'judge',
    severity: 'warning',
    title: 'The judge was never called',
    explanation:
      'The config names a judge, but the workflow returned a reward in every episode. A reward of 0 counts, too. AgentJet calls the judge only if the workflow returns no reward.',
    hint: 'To use the judge, do not return `reward` from `execute`. Otherwise remove `ajet.task_judge` from the config.',
  },
  'equal-rewards': {
    level: 'group',
    target: 'reward',
    severity: 'warning',
    isUntrained: true,
    title: 'All rewards of a task are equal',
    explanation:
      'An advantage compares an episode with the other episodes of its task. If all rewards are equal, every advantage is 0 and training learns nothing.',
    hint: 'Use finer rewards, choose tasks that are sometimes solved, or raise `ajet.rollout.num_repeat` or the temperature.',
  },
  'single-episode': {
    level: 'group',
    target: 'key:ajet.rollout.num_repeat',
    severity: 'warning',
    title: 'Group with a single episode',
    explanation:
      'A group with only one valid episode has no baseline. The advantage is the reward itself, so training reinforces every positive reward, even a poor one.',
    hint: 'Raise `ajet.rollout.num_repeat` or --repeat (launch.json: repeat), or fix the errors of the other episodes of the task.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;

/** By stable id, in the order in which the documentation lists them. */
export const findingKinds = { ...runKinds, ...episodeKinds, ...timelineKinds, ...requestKinds } as const;

export type FindingCode = keyof typeof findingKinds;

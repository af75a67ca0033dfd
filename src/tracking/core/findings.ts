/** The table of all findings of a training report, with their subject, severity and remedy. */

import { episodeKinds } from './findings/episodes.ts';
import { requestKinds } from './findings/requests.ts';
import { timelineKinds } from './findings/timelines.ts';
import type { FindingKind } from './findingKind.ts';

export type { FindingKind, FindingLevel, FindingTarget, Severity } from './findingKind.ts';

/** Findings about a run as a whole and about the episodes of a task. */
const runKinds = {
  'approximate-tokenizer': {
    level: 'run',
    severity: 'warning',
    title: 'Another tokenizer than the model’s counts',
    explanation:
      'This machine does not have the `tokenizer.json` of the model, so the built-in tokenizer (Qwen2.5) replaces it. Token ids are those of Qwen2.5, and lengths are approximate. Near a limit, `near-limit` replaces the exact findings.',
    hint: 'Fetch the tokenizer of `ajet.model.path` (AgentJet: Fetch Tokenizer), or name one with --tokenizer (launch.json: tokenizer).',
  },
  'duplicate-task-id': {
    level: 'run',
    target: 'key:ajet.task_reader.type',
    severity: 'warning',
    title: 'Different tasks have the same id',
    explanation:
      'Training finds the task of a sample by its `task_id`. Tasks that share one, or have none, become one group: their rewards are compared with each other, and pass@n counts them as one.',
    hint: 'Give every row of the data set a `task_id` of its own.',
  },
  'judge-unused': {
    level: 'run',
    target: 'judge',
    severity: 'warning',
    title: 'The judge was never asked',
    explanation:
      'The config names a judge, but the workflow returned a reward in every episode, 0 included; AgentJet asks the judge only where the workflow returns none.',
    hint: 'Leave `reward` out of what `execute` returns to have the judge score, or take `ajet.task_judge` out of the config.',
  },
  'equal-rewards': {
    level: 'group',
    target: 'reward',
    severity: 'error',
    title: 'All rewards of a task are equal',
    explanation:
      'An advantage says how much better an episode did than the others of its task. Where all did equally well, every advantage is 0 and nothing is learned.',
    hint: 'Make the reward finer, choose tasks that are neither always nor never solved, or raise `ajet.rollout.num_repeat` or the temperature.',
  },
  'single-episode': {
    level: 'group',
    target: 'key:ajet.rollout.num_repeat',
    severity: 'warning',
    title: 'Nothing to compare an episode with',
    explanation:
      'A group with one episode that counts has no baseline: the advantage is the reward itself, so every positive reward is reinforced, however poor.',
    hint: 'Raise `ajet.rollout.num_repeat` (--repeat), or mend what ended the other episodes of the task.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;

/** By stable id, in the order in which the documentation lists them. */
export const findingKinds = { ...runKinds, ...episodeKinds, ...timelineKinds, ...requestKinds } as const;

export type FindingCode = keyof typeof findingKinds;

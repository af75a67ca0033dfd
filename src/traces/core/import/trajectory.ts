/** Imports trajectory JSON of AgentJet's VERL backbone: one episode per file, with lists of messages. */
import { isRecord } from '../../../base/core/isRecord.ts';
import { chatMessages, numberOf, textOf, withAuthor, numbersIn } from './chat.ts';
import { eachValue } from './eachValue.ts';
import type { EpisodePart, Importer, ImportSink } from './parts.ts';

export const trajectory: Importer = {
  label: 'AgentJet trajectory JSON',
  run: async (source, sink) => {
    let episode = 0;
    for await (const { where, value } of eachValue(source, ['', '*'], sink)) {
      if (take(where, value, String(episode), sink)) episode += 1;
    }
  },
};

export function isTrajectory(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value['traj']) && 'task_id' in value;
}

function take(where: string, value: unknown, episode: string, sink: ImportSink): boolean {
  if (!isTrajectory(value) || !isRecord(value)) {
    sink.skip(where, 'it is not a trajectory of AgentJet');
    return false;
  }
  const { task_id: task, task_tag: tag, reward_structure: rewards, traj } = value;
  const lists = (traj as unknown[]).map(chatMessages);
  lists.forEach((list, index) => {
    if (list === undefined) sink.skip(where, `its timeline ${index + 1} is not a list of messages`);
  });
  const reward = rewardOf(rewards);
  const timelines = lists.flatMap((messages): EpisodePart[] =>
    messages === undefined ? [] : [{ kind: 'timeline', messages: messages.map(withAuthor) }],
  );
  const facts: EpisodePart = {
    ...{ kind: 'facts', task: String(task) },
    query: lists[0]?.find(({ role }) => role === 'user')?.text ?? '',
    ...(reward !== undefined && { reward }),
    ...successOf(rewards, tag),
    metrics: partsOf(rewards),
  };
  sink.add(episode, [facts, ...timelines]);
  return true;
}

function rewardOf(rewards: unknown): number | undefined {
  if (!isRecord(rewards)) return numberOf(rewards);
  const raw = rewards['raw_reward'] ?? rewards['final_reward'] ?? rewards['reward'];
  return numberOf(typeof raw === 'string' && textOf(raw) !== undefined ? Number(raw) : raw);
}

/** Returns the success that the workflow or its judge reported. The tag depends only on the reward. */
function successOf(rewards: unknown, tag: unknown): { readonly isSuccess?: boolean } {
  const rate = isRecord(rewards) ? numberOf(rewards['success_rate']) : undefined;
  if (rate !== undefined) return { isSuccess: rate >= 1 };
  return typeof tag === 'string' ? { isSuccess: tag === 'success' } : {};
}

function partsOf(rewards: unknown): Readonly<Record<string, number>> {
  if (!isRecord(rewards)) return {};
  const parts = [rewards['metadata'], rewards['reward_stats']].filter(isRecord);
  return Object.assign({}, ...parts.map(numbersIn)) as Readonly<Record<string, number>>;
}

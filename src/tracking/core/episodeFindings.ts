import { formatLocation, type ErrorReport } from '../../base/core/errors.ts';
import type {
  EpisodeResult,
  EpisodeTracking,
  OutsideCalls,
  EpisodeRouting,
} from './records/episodeResult.ts';
import { finding, type Finding } from './finding.ts';

/** Returns the findings of one episode: why it makes no sample, the problems of its calls, and an unusual reward. */
export function episodeFindings(result: EpisodeResult): readonly Finding[] {
  return [
    ...injected(result),
    ...withoutSample(result),
    ...(result.outside ?? []).map(bypassed),
    ...(result.tracking?.problems ?? []),
    ...trainedAnyway(result.routing),
    ...aboutReward(result),
    ...(result.selected === 0 ? [leftOut] : []),
  ];
}

const leftOut = finding(
  'not-selected',
  'More episodes were started than training uses (`enable_oversample`), and this one is dropped.',
);

function injected({ faults = [], error }: EpisodeResult): readonly Finding[] {
  if (faults.length === 0) return [];
  const kinds = [...new Set(faults.map(({ kind }) => kind))].join(', ');
  const message =
    error === null
      ? `Faults were injected into its calls (${kinds}), so its reward does not depend only on the model.`
      : `The episode failed after faults were injected into its calls (${kinds}): ${firstLine(error)}`;
  return [finding(error === null ? 'injected-fault' : 'lost-to-injected-fault', message)];
}

function firstLine({ message }: ErrorReport): string {
  return message.split('\n')[0] ?? '';
}

function withoutSample({ error, tracking, faults, routing }: EpisodeResult): readonly Finding[] {
  if (error !== null) {
    if (faults !== undefined && faults.length > 0) return [];
    const found = finding('episode-error', `The episode ended with an error: ${firstLine(error)}`);
    return [error.location === undefined ? found : { ...found, location: error.location }];
  }
  if (tracking === undefined) {
    return [
      finding(
        'not-tracked',
        'Its calls were not tracked, because the process ended too early or the tokenizer failed.',
      ),
    ];
  }
  if (tracking.timelines === 0) {
    const why = whyNothing(tracking);
    if (why !== undefined) return [nothingTrainable(why)];
    const routed = routedAway(routing);
    if (routed !== undefined) return [routed];
    return [
      finding(
        'no-call',
        'No LLM call of the episode was answered through the tuner, so there is nothing to train on.',
      ),
    ];
  }
  if (tracking.trainableTokens > 0) return [];
  return [nothingTrainable(whyNothing(tracking) ?? 'every reply is empty')];
}

function nothingTrainable(why: string): Finding {
  return finding('nothing-trainable', `No token of the episode counts in the loss: ${why}.`);
}

function bypassed({ host, calls, location }: OutsideCalls): Finding {
  const count = calls === 1 ? '1 LLM call' : `${calls} LLM calls`;
  const from = location === undefined ? '' : `, from ${formatLocation({ ...location, column: undefined })}`;
  const found = finding(
    'bypassed-tuner',
    `${count} went to ${host} and not through the tuner${from}, so its replies are not trained.`,
  );
  return { ...found, location };
}

function whyNothing({ problems }: EpisodeTracking): string | undefined {
  const codes = new Set(problems.map(({ code }) => code));
  return nothingBecause.find(([code]) => codes.has(code))?.[1];
}

/** The reasons in order of priority. */
const nothingBecause: readonly (readonly [code: string, why: string])[] = [
  ['context-overflow', 'no prompt leaves room for a reply'],
  ['externally-interrupted', 'the episode was requested to stop before its calls'],
  ['after-degenerate-reply', 'all trainable replies come after a degenerate one'],
  ['foreign-template', 'the loss mask does not support the reply format of the chat template'],
];

/** The range of the built-in judges and of the default reward of a degenerate reply. */
const usualRewards = { least: -1, most: 1.5 } as const;
/** The smallest reward that validation counts as a success. */
const successFrom = 1;

function aboutReward({ reward, isSuccess, successGiven, rewardUnused }: EpisodeResult): readonly Finding[] {
  if (reward === null) return [];
  const { least, most } = usualRewards;
  const unusual = reward < least || reward > most;
  return [
    ...(unusual
      ? [finding('reward-range', `The reward ${reward} is outside the usual range of ${least} to ${most}.`)]
      : []),
    ...(successGiven === false ? missing(reward) : []),
    ...(successGiven === true ? mismatch(reward, isSuccess) : []),
    ...(rewardUnused === undefined ? [] : [unused(rewardUnused, reward)]),
  ];
}

function missing(reward: number): readonly Finding[] {
  if (reward <= 0) return []; // a failure either way
  const message = `The reward ${reward} has no isSuccess, so the episode counts as a failure.`;
  return [finding('success-missing', message)];
}

function unused(own: number, reward: number): Finding {
  const message = `The workflow, a function, returned the reward ${own}, but the reward ${reward} of the judge counts.`;
  return finding('reward-unused', message);
}

function mismatch(reward: number, isSuccess: boolean): readonly Finding[] {
  if (reward >= successFrom === isSuccess) return [];
  const [training, validation] = isSuccess ? ['a success', 'a failure'] : ['a failure', 'a success'];
  const message = `The reward ${reward} is ${training} by isSuccess, but ${validation} in validation, where rewards of 1 or more are successes.`;
  return [finding('success-mismatch', message)];
}

type Anyway = EpisodeRouting['trainedAnyway'][number];

/** Returns the finding for an episode whose calls all went to debug models; undefined otherwise. */
export function routedAway(routing: EpisodeRouting | undefined): Finding | undefined {
  if (routing === undefined || routing.debug.length === 0) return undefined;
  const calls = routing.debug.reduce((sum, { calls: count }) => sum + count, 0);
  const targets = quoted(routing.debug.map(({ target }) => target));
  const models = [...new Set(routing.debug.map(({ model }) => model))].join(', ');
  const who = calls === 1 ? 'The only call' : `All ${calls} calls`;
  return finding(
    'all-calls-untrained',
    `${who} went to debug models (${models}), because \`trainableTargets\` does not contain ${targets}. No call is left to train on.`,
  );
}

/** Returns findings for targets that are trained although `trainableTargets` excludes them. */
export function trainedAnyway(routing: EpisodeRouting | undefined): readonly Finding[] {
  return (routing?.trainedAnyway ?? []).map((entry) =>
    finding(
      'untrained-target-trained',
      `\`trainableTargets\` does not contain ${quoted([entry.target])}, but its calls are trained: ${why[entry.why]}.`,
    ),
  );
}

const why: Readonly<Record<Anyway['why'], string>> = {
  'no-debug-model': 'the agent has no debug model, so AgentJet uses the model being trained',
  'base-url': 'they use the base URL and key, which AgentJet does not route',
};

function quoted(targets: readonly string[]): string {
  return [...new Set(targets)].map((target) => `\`${target}\``).join(', ');
}

import type { EpisodeRouting } from './records/episodeResult.ts';
import { finding, type Finding } from './finding.ts';

type Anyway = EpisodeRouting['trainedAnyway'][number];

/** What an episode with no answered call has to be told of it, if it was routing that left none. */
export function routedAway(routing: EpisodeRouting | undefined): Finding | undefined {
  if (routing === undefined || routing.debug.length === 0) return undefined;
  const calls = routing.debug.reduce((sum, { calls: count }) => sum + count, 0);
  const targets = quoted(routing.debug.map(({ target }) => target));
  const models = [...new Set(routing.debug.map(({ model }) => model))].join(', ');
  const who = calls === 1 ? 'The only call' : `All ${calls} calls`;
  return finding(
    'routed-away',
    `${who} went to debug models (${models}), since \`trainableTargets\` does not name ${targets}; nothing is left to train on.`,
  );
}

/** Targets that are trained although they are not to be. */
export function trainedAnyway(routing: EpisodeRouting | undefined): readonly Finding[] {
  return (routing?.trainedAnyway ?? []).map((entry) =>
    finding(
      'trained-anyway',
      `Calls for ${quoted([entry.target])}, which \`trainableTargets\` does not name, are trained all the same: ${why[entry.why]}.`,
    ),
  );
}

const why: Readonly<Record<Anyway['why'], string>> = {
  'no-debug-model': 'their agent has no debug model, and AgentJet then takes the model being trained',
  'base-url': 'they came by base URL and key, which AgentJet does not route',
};

function quoted(targets: readonly string[]): string {
  return [...new Set(targets)].map((target) => `\`${target}\``).join(', ');
}

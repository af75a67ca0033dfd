import type { Fork, ForkCause, ForkSide, MergingExplanation } from './explainMerging.ts';
import type { CallProblem } from './problems.ts';
import type { MergeOptions } from './tracker.ts';

/** By call: that an agent's calls fork, and what other settings of the config would do about it. */
export function mergeProblems(
  explanation: MergingExplanation,
  options: MergeOptions,
): readonly { readonly call: number; readonly problem: CallProblem }[] {
  // Timelines of several agents are not a problem.
  const forks = explanation.forks.filter(({ cause }) => cause !== 'agents');
  if (forks.length === 0) return [];
  const rest = `The episode has ${explanation.timelines} timelines; ${otherwise(explanation, options)}.`;
  return forks.map((fork) => {
    const clause = `the timeline does not continue the one of call ${fork.earlier}: ${causes[fork.cause](fork)}. ${rest}`;
    return { call: fork.call, problem: { code: 'not-merged', severity: 'warning', clause } };
  });
}

/** For a sentence: what differs, and where. */
const causes: Readonly<Record<ForkCause, (fork: Fork) => string>> = {
  agents: ({ before, now }) => `another agent or another system prompt (${quoted(before, now)})`,
  content: (fork) => `${placeOf(fork)} differs${fromToken(fork)} (${quoted(fork.before, fork.now)})`,
  reply: (fork) => `the same request has another reply${fromToken(fork)} (${quoted(fork.before, fork.now)})`,
  fields: (fork) =>
    `${placeOf(fork)} has the same text, but another role or other tool calls${fromToken(fork)}, which \`token\` compares`,
  tools: () => 'other tools are offered',
  retokenized: (fork) => `${placeOf(fork)} has the same text with other tokens${fromToken(fork)}${ids(fork)}`,
  shorter: ({ message, before }) =>
    `that timeline continues after this one, with message ${message} (${before?.role ?? ''}), and only a later call absorbs an earlier one`,
};

function placeOf({ message, before, now }: Fork): string {
  return `message ${message} (${[...new Set([before?.role, now?.role])].join(', now ')})`;
}

function fromToken({ token }: Fork): string {
  return token === null ? '' : ` from its token ${token} on`;
}

function quoted(before: ForkSide | null, now: ForkSide | null): string {
  return `${JSON.stringify(before?.text ?? '')}, now ${JSON.stringify(now?.text ?? '')}`;
}

function ids({ before, now }: Fork): string {
  return ` (${before?.tokenId ?? 'its end'}, now ${now?.tokenId ?? 'its end'})`;
}

/** The setting that makes the fewest, and of several the one that changes least. */
function otherwise({ timelines, others }: MergingExplanation, options: MergeOptions): string {
  const [best] = others().toSorted(
    (a, b) => a.timelines - b.timelines || changes(a, options).length - changes(b, options).length,
  );
  return best === undefined || best.timelines >= timelines
    ? 'no other `timeline_merging_policy` gives fewer'
    : `with ${changes(best, options).join(' and ')} it would give ${best.timelines}`;
}

/** Those that are other than the config's. */
function changes({ compareLevel, ignoreTools }: MergeOptions, options: MergeOptions): readonly string[] {
  const level = compareLevel === options.compareLevel ? [] : [`\`timeline_compare_level: ${compareLevel}\``];
  const tools = ignoreTools === options.ignoreTools ? [] : [`\`ignore_tools: ${ignoreTools}\``];
  return [...level, ...tools];
}

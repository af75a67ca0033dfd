import type { EpisodeResult } from '../../tracking/core/records/episodeResult.ts';

type Check = (value: unknown) => boolean;

const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';

/** Returns the fields of an object; {} for any other value. */
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/**
 * Returns true if a value from JSON is a typical result of an episode, without a problem or an error. This takes a
 * fraction of the time of the schema, which checks all other values. Opening a run reads the results of all episodes,
 * which may be thousands.
 */
export function isPlainResult(value: unknown): value is EpisodeResult {
  const result = fieldsOf(value);
  return (
    isNumber(result['episode']) &&
    isText(result['taskId']) &&
    isNumber(result['repeat']) &&
    isNumber(result['reward']) &&
    isFlag(result['isSuccess']) &&
    isNumber(result['llmCalls']) &&
    isNumber(result['seconds']) &&
    result['error'] === null &&
    isPlainTracking(result['tracking']) &&
    Object.keys(result).length === 9 + optionalOf(result)
  );
}

function isPlainTracking(value: unknown): boolean {
  const tracking = fieldsOf(value);
  const { problems } = tracking;
  return (
    isNumber(tracking['timelines']) &&
    isNumber(tracking['tokens']) &&
    isNumber(tracking['trainableTokens']) &&
    Array.isArray(problems) &&
    problems.length === 0 &&
    Object.keys(tracking).length === 4
  );
}

/** Returns the number of optional fields that are present and valid. */
function optionalOf({ metrics, scoredBy, successGiven }: Readonly<Record<string, unknown>>): number {
  const isMetrics = metrics !== undefined && isPlain(metrics) && Object.values(metrics).every(isNumber);
  const isScorer = scoredBy === 'workflow' || scoredBy === 'judge';
  return Number(isMetrics) + Number(isScorer) + Number(isFlag(successGiven));
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import type { Location } from '../../../base/core/errors.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import type { RunLocations } from '../../../tracking/core/records/episodeResult.ts';
import { findingKinds, type FindingKind } from '../../../tracking/core/findings.ts';
import type { JudgeContext } from '../task-judge/judge.ts';
import { configuredJudge } from './userClasses.ts';

/** Returns the locations in the user's files that findings can refer to. */
export async function findCodeLocations(
  config: Config,
  { placeOf }: Pick<JudgeContext, 'placeOf'>,
): Promise<RunLocations> {
  const [execute, judge] = await Promise.all([placeOf('execute'), judgePlace(config, placeOf)]);
  return {
    ...(execute && { execute }),
    ...(judge && { judge }),
    keys: Object.fromEntries(findingKeys.map((key) => [key, config.locate(key)])),
  };
}

async function judgePlace(config: Config, placeOf: JudgeContext['placeOf']): Promise<Location | undefined> {
  if (configuredJudge(config) === undefined) return undefined;
  // The judge that the config names may not exist, as long as no episode needs it.
  return placeOf('computeReward').catch(() => config.locate('ajet.task_judge.judge_protocol'));
}

const kinds: readonly FindingKind[] = Object.values(findingKinds);
const findingKeys: readonly string[] = [
  ...new Set(kinds.flatMap(({ target: place = '' }) => (place.startsWith('key:') ? [place.slice(4)] : []))),
];

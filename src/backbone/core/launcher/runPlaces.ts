import type { Location } from '../../../base/core/errors.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import type { RunLocations } from '../../../tracking/core/records/episodeResult.ts';
import { findingKinds, type FindingKind } from '../../../tracking/core/findings.ts';
import type { Judging } from '../task-judge/judge.ts';
import { judgeNamed } from './userClasses.ts';

/** Where the user's files have what findings may be about. */
export async function placesOf(config: Config, { placeOf }: Pick<Judging, 'placeOf'>): Promise<RunLocations> {
  const [execute, judge] = await Promise.all([placeOf('execute'), judgePlace(config, placeOf)]);
  return {
    ...(execute && { execute }),
    ...(judge && { judge }),
    keys: Object.fromEntries(findingKeys.map((key) => [key, config.locate(key)])),
  };
}

async function judgePlace(config: Config, placeOf: Judging['placeOf']): Promise<Location | undefined> {
  if (judgeNamed(config) === undefined) return undefined;
  // What the config names need not be there while no episode asks it.
  return placeOf('computeReward').catch(() => config.locate('ajet.task_judge.judge_protocol'));
}

const kinds: readonly FindingKind[] = Object.values(findingKinds);
const findingKeys: readonly string[] = [
  ...new Set(kinds.flatMap(({ target: place = '' }) => (place.startsWith('key:') ? [place.slice(4)] : []))),
];

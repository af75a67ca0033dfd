import type { Location } from '../../base/core/errors.ts';
import type { EpisodeResult, RunLocations } from './records/episodeResult.ts';
import { findingKind, hintOf, levelOf, preventsTraining, type Finding } from './finding.ts';
import type { FindingTarget } from './findingKind.ts';
import { groupBy } from './groupBy.ts';
import type { TrainingReport } from './report.ts';

/** A finding of a run at a location in the files of the user. */
export interface LocatedFinding {
  readonly code: string;
  /** `warning`: it excludes episodes from training. */
  readonly severity: 'warning' | 'information';
  /** The finding with its number of episodes. The second line is the hint. */
  readonly message: string;
  readonly location: Location;
}

/** A finding with its location. `concerned` is its episode or group, or undefined for the run. */
interface PlacedFinding {
  readonly one: Finding;
  readonly location: Location;
  readonly concerned: number | undefined;
}

/** Returns one per code and location, in the order of the episodes. Those about the run are last. */
export function locatedFindings(
  report: TrainingReport,
  results: readonly EpisodeResult[],
  places: RunLocations,
): readonly LocatedFinding[] {
  const scoredBy = new Map(results.map((result) => [result.episode, result.scoredBy]));
  const groupOf = new Map(
    report.groups.flatMap(({ group, members }) => members.map(({ episode }) => [episode, group] as const)),
  );
  const ofEpisodes = report.episodes.flatMap(({ episode, findings }) =>
    findings.flatMap((one) => {
      const concerned = levelOf(one.code) === 'group' ? groupOf.get(episode) : episode;
      return placed(one, concerned, scoredBy.get(episode), places);
    }),
  );
  const ofRun = report.findings
    .filter(({ code }) => levelOf(code) === 'run')
    .flatMap((one) => placed(one, undefined, undefined, places));
  const alike = groupBy([...ofEpisodes, ...ofRun], ({ one, location: { file, line, column } }) =>
    [one.code, file, line, column].join(' '),
  );
  return [...alike.values()].flatMap((same) => noteOf(same, report));
}

function placed(
  one: Finding,
  concerned: number | undefined,
  scoredBy: EpisodeResult['scoredBy'],
  places: RunLocations,
): readonly PlacedFinding[] {
  const place = findingKind(one.code)?.target;
  const location = place && locationOf(place, one, scoredBy, places);
  return location === undefined ? [] : [{ one, location, concerned }];
}

function locationOf(
  place: FindingTarget,
  one: Finding,
  scoredBy: EpisodeResult['scoredBy'],
  places: RunLocations,
): Location | undefined {
  switch (place) {
    case 'execute':
    case 'judge':
      return places[place];
    case 'reward':
      return scoredBy === 'judge' ? places.judge : places.execute;
    case 'line':
      return one.location;
    default:
      return places.keys[place.slice('key:'.length)];
  }
}

function noteOf(same: readonly PlacedFinding[], report: TrainingReport): readonly LocatedFinding[] {
  // One that prevents training is the best example.
  const first = same.find(({ one }) => preventsTraining(one)) ?? same[0];
  if (first === undefined) return [];
  const { code, message } = first.one;
  const example = same.every(({ one }) => one.message === message) ? '' : ', for example';
  const count = new Set(same.map(({ concerned }) => concerned)).size;
  const hint = hintOf(code);
  return [
    {
      code,
      severity: preventsTraining(first.one) ? 'warning' : 'information',
      message: `In ${whichOf(code, count, report)}${example}: ${message}${hint === '' ? '' : `\n${hint}`}`,
      location: first.location,
    },
  ];
}

function whichOf(code: string, count: number, { episodes, groups }: TrainingReport): string {
  const level = levelOf(code);
  const [all, what] = level === 'group' ? [groups.length, 'tasks'] : [episodes.length, 'episodes'];
  if (level === 'run' || all === 1) return 'the last run';
  return count === all ? `all ${all} ${what} of the last run` : `${count} of ${all} ${what} of the last run`;
}

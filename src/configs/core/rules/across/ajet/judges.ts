import data from '../data/judges.json' with { type: 'json' };
import type { Settings } from '../settings.ts';
import { underBackbone } from './backbone.ts';

interface Judge {
  readonly name: string;
  readonly needs: string;
  /** The readers whose tasks it can score, if documented; otherwise `unfit` lists the others. */
  readonly fits?: readonly string[];
  readonly unfit?: readonly string[];
}

const judges: readonly Judge[] = data.judges;
const readers: Readonly<Record<string, string>> = data.readers;
const sameIds: Readonly<Record<string, string>> = data.sameIds;

const type = 'task_judge.judge_type';
const protocol = 'task_judge.judge_protocol';
const reader = 'task_reader.type';
const grader = 'task_judge.rubrics_auto_grader';

export function judgeReader(settings: Settings): void {
  const source = settings.text(reader);
  const locator = settings.text(protocol);
  if (settings.text(type) !== 'customized_protocol' || source === undefined || locator === undefined) return;
  const judge = judges.find(({ name }) => locator.endsWith(`->${name}`));
  if (judge === undefined || fits(judge, source)) return;
  // Another rule reports a reader that does not exist.
  if (settings.info(reader)?.allowed?.includes(source) === false) return;
  const typed = settings.typed(protocol) !== undefined;
  const lacks = judge.fits === undefined ? (readers[source] ?? 'does not have it') : 'has none';
  settings.report('judge-task-mismatch', {
    // A default judge is usually unused because the workflow returns a reward itself.
    severity: typed ? 'warning' : 'hint',
    at: typed ? [protocol, reader] : [reader],
    message: `\`${judge.name}\`${typed ? '' : ', the default judge,'} needs ${judge.needs}, but the reader \`${source}\` ${lacks}. Scoring fails for every episode whose workflow returns no reward. Choose another \`judge_protocol\`. If the workflow returns the reward, set it to null.`,
  });
}

function fits({ fits: fit, unfit }: Judge, source: string): boolean {
  return fit === undefined ? unfit?.includes(source) !== true : fit.includes(source);
}

export function rubrics(settings: Settings): void {
  if (settings.text(type) !== 'rubrics_auto_grader') return;
  settings.report('rubrics-grader', {
    at: [type],
    message:
      'In a rollout, `rubrics_auto_grader` of AgentJet fails. It loads the rubrics but does not recognize them as generated, so scoring fails for every episode whose workflow returns no reward. Return the reward from the workflow, or set `judge_type` to `customized_protocol`.',
  });
  const mode = settings.text(`${grader}.grader_mode`);
  const least = settings.number(`${grader}.min_score`);
  const most = settings.number(`${grader}.max_score`);
  if (mode !== undefined && mode !== 'pointwise') {
    settings.report('rubrics-grader', {
      at: [`${grader}.grader_mode`],
      message: `A rollout scores one answer at a time, but \`grader_mode\` \`${mode}\` ranks several answers. Set it to \`pointwise\`.`,
    });
  } else if (mode !== undefined && least !== undefined && most !== undefined && least >= most) {
    settings.report('rubrics-grader', {
      severity: 'error',
      at: [`${grader}.max_score`, `${grader}.min_score`],
      message: `${settings.shown(`${grader}.min_score`)} is not less than ${settings.shown(`${grader}.max_score`)}: every answer gets the same score. Raise \`max_score\`.`,
    });
  }
}

export function taskIds(settings: Settings): void {
  const severity = underBackbone(settings, 'verl', 'warning');
  const source = settings.text(reader);
  const why = source === undefined ? undefined : sameIds[source];
  if (severity === undefined || source === undefined || why === undefined) return;
  settings.report('shared-task-id', {
    severity,
    at: [reader],
    message: `The reader \`${source}\` ${why}. verl groups the episodes of a step by this id, so all tasks of a step become one group. They are compared with each other, and pass@n counts one task. Write the tasks to a file with different ids, and read it with \`jsonl_dataset_file\`.`,
  });
}

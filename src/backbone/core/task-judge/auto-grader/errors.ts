import { CodedError, type Location } from '../../../../base/core/errors.ts';

export const graderErrors = {
  noRange: (lowest: number, highest: number, location: Location) =>
    new CodedError({
      code: 'task-judge/no-score-range',
      message: `min_score ${lowest} is not less than max_score ${highest}, so no answer could score better than another.`,
      location,
      hint: 'Raise max_score.',
    }),

  badThreshold: (threshold: number, location: Location) =>
    new CodedError({
      code: 'task-judge/bad-threshold',
      message: `success_threshold is ${threshold}; it is a reward, from 0 (min_score) to 1 (max_score).`,
      location,
      hint: 'Write a number from 0 to 1, for example 0.7.',
    }),

  badPrompt: (location: Location) =>
    new CodedError({
      code: 'task-judge/bad-prompt',
      message: 'custom_evaluation_prompt is neither a text nor a section with messages of {role, content}.',
      location,
      hint: 'Write a text with {query}, {answer} and {rubrics} in it, or null for the built-in prompt.',
    }),

  noSamples: (wants: string, read: number, location: Location) =>
    new CodedError({
      code: 'task-judge/no-samples',
      message: `None of the ${read} labelled samples has ${wants}, so no rubrics can be made of them.`,
      location,
      hint: 'Give each row of the samples main_query and these fields, beside it or in its metadata; query_field names another field for the query.',
    }),

  samplesLeftOut: (wants: string, left: number, read: number, location: Location) =>
    new CodedError({
      code: 'task-judge/samples-left-out',
      message: `${left} of ${read} labelled samples lack ${wants} and are left out.`,
      location,
      hint: 'Complete or remove these rows.',
    }),

  noRubrics: (reason: string, location: Location) =>
    new CodedError({
      code: 'task-judge/no-rubrics',
      message: `The helper LLM made no rubrics of the labelled samples: ${reason}.`,
      location,
      hint: 'Look at what it answers, or have a script answer (--helper-script).',
    }),

  unproven: (samples: number, location: Location) =>
    new CodedError({
      code: 'task-judge/rubrics-unproven',
      message: `With none of the rubrics did the grader come to the label of the sample that they were made of (${samples} samples); they are used as they are.`,
      location,
      hint: 'Look at the rubrics in auto_grader.json and at the labels; a stronger helper model, or more max_epochs, may do better.',
    }),

  notCategorised: (location: Location) =>
    new CodedError({
      code: 'task-judge/not-categorised',
      message: 'The helper LLM did not put the rubrics into categories; they are used one by one.',
      location,
      hint: 'Set enable_categorization to false, or try another helper model.',
    }),

  notKept: (file: string, cause: unknown) =>
    new CodedError({
      code: 'task-judge/rubrics-not-kept',
      message: `The rubrics could not be written to ${file}: ${cause instanceof Error ? cause.message : String(cause)}.`,
      hint: 'They serve this run; the next one makes them anew. Choose another place with --exp-dir (launch.json: expDir).',
    }),

  noScore: (what: string, reply: string, location: Location) =>
    new CodedError({
      code: 'task-judge/no-score',
      message: `The grader's reply has no ${what}: ${excerpt(reply)}`,
      location,
      hint: 'A reply is understood as JSON, as a tag such as <score>1</score>, or by its last number. Check the helper model and custom_evaluation_prompt.',
    }),

  clipped: (score: number, lowest: number, highest: number, location: Location) =>
    new CodedError({
      code: 'task-judge/score-clipped',
      message: `The grader gave a score of ${score}, outside ${lowest} to ${highest}; such scores are taken as the nearest one inside.`,
      location,
      hint: 'Check min_score and max_score, and what custom_evaluation_prompt says of them.',
    }),

  noQuery: (field: string, task: string, location: Location) =>
    new CodedError({
      code: 'task-judge/missing-input',
      message: `The task ${JSON.stringify(task)} has no ${field}, neither of its own nor in its metadata.`,
      location,
      hint: 'Set query_field to where the question is.',
    }),

  nothingToRank: (task: string, reference: string, location: Location) =>
    new CodedError({
      code: 'task-judge/nothing-to-rank',
      message: `There is nothing to rank the answer against: the metadata of task ${JSON.stringify(task)} has neither candidates nor ${reference}.`,
      location,
      hint: 'Set grader_mode to pointwise, which scores an answer by itself, or give the tasks candidates: [{answer}, …].',
    }),

  upstreamCannot: (location: Location) =>
    new CodedError({
      code: 'task-judge/upstream-cannot-score',
      message:
        'Training cannot score with rubrics_auto_grader in the AgentJet version that this follows: each episode whose workflow returns no reward fails there. The rewards here are what its documentation promises.',
      location,
      hint: 'Before training, set judge_type to customized_protocol and name a judge, or return the reward from the workflow.',
    }),

  keyUnread: (location: Location) =>
    new CodedError({
      code: 'task-judge/api-key-unread',
      message: 'rubrics_auto_grader.api_key is not read here: keys come from the environment alone.',
      location,
      hint: 'Set DASHSCOPE_API_KEY, or name the helper LLM with --helper-base-url and --helper-api-key-env.',
    }),
};

function excerpt(reply: string): string {
  if (reply.trim() === '') return 'it is empty.';
  return `${JSON.stringify(reply.length > 200 ? `${reply.slice(0, 200)}…` : reply)}.`;
}

import { CodedError, type Location, messageOf } from '../../../../base/core/errors.ts';

export const graderErrors = {
  noRange: (lowest: number, highest: number, location: Location) =>
    new CodedError({
      code: 'task-judge/no-score-range',
      message: `min_score (${lowest}) must be less than max_score (${highest}).`,
      location,
      hint: 'Raise max_score.',
    }),

  badThreshold: (threshold: number, location: Location) =>
    new CodedError({
      code: 'task-judge/bad-threshold',
      message: `success_threshold is ${threshold}, but must be a reward from 0 (min_score) to 1 (max_score).`,
      location,
      hint: 'Set it to a number from 0 to 1, for example 0.7.',
    }),

  badPrompt: (location: Location) =>
    new CodedError({
      code: 'task-judge/bad-prompt',
      message:
        'custom_evaluation_prompt must be a text or a section with messages of the form {role, content}.',
      location,
      hint: 'Set it to a text that contains {query}, {answer} and {rubrics}, or to null for the built-in prompt.',
    }),

  noSamples: (wants: string, read: number, location: Location) =>
    new CodedError({
      code: 'task-judge/no-samples',
      message: `Cannot make rubrics: none of the ${read} labeled samples has ${wants}.`,
      location,
      hint: 'Add main_query and these fields to each sample. The fields may also be in its metadata. To use another field for the query, set query_field.',
    }),

  samplesLeftOut: (wants: string, left: number, read: number, location: Location) =>
    new CodedError({
      code: 'task-judge/samples-left-out',
      message: `${left} of ${read} labeled samples are ignored, because they do not have ${wants}.`,
      location,
      hint: 'Complete or remove these samples.',
    }),

  noRubrics: (reason: string, location: Location) =>
    new CodedError({
      code: 'task-judge/no-rubrics',
      message: `The helper LLM made no rubrics from the labeled samples: ${reason}.`,
      location,
      hint: 'Look at its responses with --verbose (launch.json: verbose), or use a script as helper with --helper-script FILE (launch.json: helper.script).',
    }),

  unproven: (samples: number, location: Location) =>
    new CodedError({
      code: 'task-judge/rubrics-unproven',
      message: `The grader reached the expected label with none of the rubrics (${samples} samples). The rubrics are used anyway.`,
      location,
      hint: 'Check the rubrics in auto_grader.json and the labels. A stronger helper model or a higher max_epochs may help.',
    }),

  notCategorised: (location: Location) =>
    new CodedError({
      code: 'task-judge/not-categorised',
      message: 'The helper LLM did not group the rubrics into categories. They are used one by one.',
      location,
      hint: 'Set enable_categorization to false, or try another helper model.',
    }),

  notKept: (file: string, cause: unknown) =>
    new CodedError({
      code: 'task-judge/rubrics-not-kept',
      message: `The rubrics could not be written to ${file}: ${messageOf(cause)}.`,
      hint: 'This run uses them, but the next one must make them again. Choose another folder with --exp-dir (launch.json: expDir).',
    }),

  noScore: (what: string, reply: string, location: Location) =>
    new CodedError({
      code: 'task-judge/no-score',
      message: `The response of the grader has no ${what}: ${excerpt(reply)}`,
      location,
      hint: 'AgentJet reads JSON, a tag such as <score>1</score>, or the last number. Check the helper model and custom_evaluation_prompt.',
    }),

  clipped: (score: number, lowest: number, highest: number, location: Location) =>
    new CodedError({
      code: 'task-judge/score-clipped',
      message: `The grader returned a score of ${score}, outside ${lowest} to ${highest}. Such scores are limited to this range.`,
      location,
      hint: 'Check min_score, max_score and custom_evaluation_prompt.',
    }),

  noQuery: (field: string, task: string, location: Location) =>
    new CodedError({
      code: 'task-judge/missing-input',
      message: `The task ${JSON.stringify(task)} has no ${field}, and neither has its metadata.`,
      location,
      hint: 'Set query_field to the field with the question.',
    }),

  nothingToRank: (task: string, reference: string, location: Location) =>
    new CodedError({
      code: 'task-judge/nothing-to-rank',
      message: `Cannot rank the answer: the metadata of task ${JSON.stringify(task)} has neither candidates nor ${reference}.`,
      location,
      hint: 'Set grader_mode to pointwise, which scores each answer separately, or add candidates: [{answer}, …] to the tasks.',
    }),

  upstreamCannot: (location: Location) =>
    new CodedError({
      code: 'task-judge/upstream-cannot-score',
      message:
        'Training cannot score with rubrics_auto_grader: episodes whose workflow returns no reward fail there. Rewards in debug runs follow the documentation of AgentJet.',
      location,
      hint: 'Before training, set judge_type to customized_protocol and name a judge, or return the reward from the workflow.',
    }),

  keyUnread: (location: Location) =>
    new CodedError({
      code: 'task-judge/api-key-unread',
      message: 'rubrics_auto_grader.api_key is ignored: debug runs read keys from the environment only.',
      location,
      hint: 'Set DASHSCOPE_API_KEY, or select the helper LLM with --helper-base-url (launch.json: helper.baseUrl) and --helper-api-key-env (launch.json: helper.apiKeyEnv).',
    }),
};

function excerpt(reply: string): string {
  if (reply.trim() === '') return 'it is empty.';
  return `${JSON.stringify(reply.length > 200 ? `${reply.slice(0, 200)}…` : reply)}.`;
}

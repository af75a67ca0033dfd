import type { WorkflowOutput, WorkflowTask } from '../task.ts';

/** Who should have given what a judge lacks: the workflow's output, the task, or the judge's own part of the config. */
export type InputSource = 'output' | 'task' | 'config';

/**
 * Thrown by a judge that cannot score for lack of something it was to be given (a KeyError or TypeError upstream). The
 * episode ends with it, at the place that `source` is responsible for.
 */
export class JudgeInputError extends Error {
  override readonly name = 'JudgeInputError';
  readonly source: InputSource;
  readonly hint: string;

  constructor(source: InputSource, message: string, hint: string) {
    super(message);
    this.source = source;
    this.hint = hint;
  }
}

/** A field of the workflow output's metadata. Throws a {@link JudgeInputError} where there is none; null is a value. */
export function outputField(judge: string, { metadata = {} }: WorkflowOutput, name: string): unknown {
  const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
  if (value !== undefined) return value;
  throw new JudgeInputError(
    'output',
    `${judge} needs metadata.${name} of the workflow's output, which has ${fieldsOf(metadata)}.`,
    `Return {metadata: {${name}}} from execute.`,
  );
}

/** As {@link outputField}, of text. */
export function outputText(judge: string, output: WorkflowOutput, name: string): string {
  const value = outputField(judge, output, name);
  if (typeof value === 'string') return value;
  throw new JudgeInputError(
    'output',
    `${judge} needs metadata.${name} of the workflow's output to be a text, and it is ${kindOf(value)}.`,
    `Return {metadata: {${name}: String(…)}} from execute.`,
  );
}

/** A text of the task's metadata. Throws a {@link JudgeInputError}. */
export function taskText(judge: string, { task }: WorkflowTask, name: string): string {
  const value = Object.hasOwn(task.metadata, name) ? task.metadata[name] : undefined;
  if (typeof value === 'string') return value;
  const lacks =
    value === undefined ? `which has ${fieldsOf(task.metadata)}` : `to be a text, and it is ${kindOf(value)}`;
  throw new JudgeInputError(
    'task',
    `${judge} needs metadata.${name} of the task ${JSON.stringify(task.task_id)}${value === undefined ? ', ' : ' '}${lacks}.`,
    `Give the rows of the data set a text ${name}, or have the workflow return the reward.`,
  );
}

function fieldsOf(metadata: object): string {
  const names = Object.keys(metadata);
  if (names.length === 0) return 'no metadata';
  return `only ${names.slice(0, 8).join(', ')}${names.length > 8 ? ', …' : ''}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}

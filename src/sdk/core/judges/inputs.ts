import type { WorkflowOutput, WorkflowTask } from '../task.ts';

/** The source of a missing input of a judge: the workflow's output, the task, or the judge's section of the config. */
export type InputSource = 'output' | 'task' | 'config';

/**
 * The error of a judge that cannot score because an input is missing (a KeyError or TypeError in upstream). The episode
 * ends with it, with the location of `source`.
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
    `${judge} needs metadata.${name} in the output of the workflow, which has ${fieldsOf(metadata)}.`,
    `Return {metadata: {${name}}} from execute.`,
  );
}

/** Returns {@link outputField} as a string. */
export function outputText(judge: string, output: WorkflowOutput, name: string): string {
  const value = outputField(judge, output, name);
  if (typeof value === 'string') return value;
  throw new JudgeInputError(
    'output',
    `${judge} needs metadata.${name} in the output of the workflow to be a string, but it is ${kindOf(value)}.`,
    `Return {metadata: {${name}: String(…)}} from execute.`,
  );
}

/** A text of the task's metadata. Throws a {@link JudgeInputError}. */
export function taskText(judge: string, { task }: WorkflowTask, name: string): string {
  const value = Object.hasOwn(task.metadata, name) ? task.metadata[name] : undefined;
  if (typeof value === 'string') return value;
  const problem =
    value === undefined
      ? `which has ${fieldsOf(task.metadata)}`
      : `to be a string, but it is ${kindOf(value)}`;
  throw new JudgeInputError(
    'task',
    `${judge} needs metadata.${name} of the task ${JSON.stringify(task.task_id)}${value === undefined ? ', ' : ' '}${problem}.`,
    `Add a string ${name} to the rows of the data set, or return the reward from the workflow.`,
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

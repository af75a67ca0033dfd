/** Old names that still work in this version, each with its new name. Remove an entry in the version after next. */

/** Rules of configs: in `# agentjet-ignore` comments, `agentjet.check.rules` and `--rule`. */
export const renamedRules: Readonly<Record<string, string>> = {
  'environment-key': 'missing-environment-variable',
  'judge-reader': 'judge-task-mismatch',
  'kl-twice': 'kl-double-counted',
  lengths: 'lengths-exceed-model-len',
  'null-converted': 'null-not-convertible',
  'old-dialect': 'legacy-astuner-config',
  'prompt-room': 'prompt-never-sent',
  'task-ids': 'shared-task-id',
  'trinity-becomes': 'trinity-value-rewritten',
  'trinity-filled-in': 'trinity-default-applied',
  turns: 'max-steps-exceed-context',
};

/** Findings of the training report: in stored traces and in the filters of the trace viewer. */
export const renamedFindings: Readonly<Record<string, string>> = {
  'colliding-ids': 'duplicate-task-id',
  'cut-end-trained': 'cut-reply-end-trained',
  'end-inside-reply': 'end-token-inside-reply',
  'first-not-system': 'missing-system-message',
  'later-system': 'system-message-not-first',
  overlong: 'context-overflow',
  'part-refused': 'tool-part-rejected',
  'prompt-over': 'prompt-too-long',
  'reply-over-turn': 'reply-exceeds-turn-limit',
  'routed-away': 'all-calls-untrained',
  'text-lost': 'non-text-content-dropped',
  'timeline-over-model': 'timeline-exceeds-model-len',
  'trained-anyway': 'untrained-target-trained',
  'trinity-lost-answers': 'trinity-untrained-replies',
};

/** Settings below `agentjet.`, which are read when the new setting is not set. */
export const renamedSettings: Readonly<Record<string, string>> = {
  openTrace: 'trace.autoOpen',
  trainingUploadLimit: 'training.uploadLimit',
  trainingVariables: 'training.env',
};

/** Debug types in launch.json. */
export const renamedDebugTypes: Readonly<Record<string, string>> = {
  'agentjet-front': 'agentjet-active-file',
};

/** Returns the new name of an old one, and any other name as it is. */
export function currentId(renamed: Readonly<Record<string, string>>, id: string): string {
  return Object.hasOwn(renamed, id) ? (renamed[id] ?? id) : id;
}

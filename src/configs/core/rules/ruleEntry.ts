/** From what stops training to what is merely worth knowing. */
export const severities = ['error', 'warning', 'information', 'hint'] as const;
export type Severity = (typeof severities)[number];

export interface RuleEntry {
  readonly title: string;
  /** Usual severity; single findings may be milder. */
  readonly severity: Severity;
  /** Markdown: the problem, its effect on training, and the fix. */
  readonly explanation: string;
}

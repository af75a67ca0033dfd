import type { FindingKind, FindingLevel } from './findingKind.ts';
import { findingKinds } from './findings.ts';

const introduction = `# Findings of the training report

After a run on the debug backbone, the training report shows which episodes would train, and why others would not. You
see it in the terminal, the debug console and the trace viewer, with \`--json\`, and as notes in the code. Findings have
stable ids. An **error** means that the affected episodes do not contribute to training. A **warning** needs your
attention. The severity in this list is the usual one.
`;

const headings: Readonly<Record<FindingLevel, string>> = {
  run: 'About the run',
  group: 'About the episodes of a task',
  episode: 'About single episodes',
};

/** The list of findings for users, in Markdown: one heading per id. */
export function findingDocs(): string {
  const kinds: readonly (readonly [string, FindingKind])[] = Object.entries(findingKinds);
  const levels: readonly FindingLevel[] = ['run', 'group', 'episode'];
  return [
    introduction,
    ...levels.flatMap((level) => [`## ${headings[level]}\n`, ...sections(kinds, level)]),
  ].join('\n');
}

function sections(
  kinds: readonly (readonly [string, FindingKind])[],
  wanted: FindingLevel,
): readonly string[] {
  return kinds
    .filter(([, { level = 'episode' }]) => level === wanted)
    .map(([id, { title, severity, explanation, hint }]) => {
      return `### ${id}\n\n**${title}** (${severity})\n\n${explanation}\n\nFix: ${hint}\n`;
    });
}

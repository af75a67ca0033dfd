import { findingKinds, type FindingKind, type FindingLevel } from './findings.ts';

const introduction = `# What the training report finds

After a run on the debug backbone, the report says which episodes would train and what stands in their way: in the
terminal, in the debug console, in the trace viewer, with \`--json\`, and as notes at the code. Findings have stable ids.
An **error** means that the episodes concerned add nothing to training; a **warning** is worth a look. The severity
given here is the usual one.
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
    .filter(([, { level }]) => level === wanted)
    .map(([id, { title, severity, explanation, hint }]) => {
      return `### ${id}\n\n**${title}** (${severity})\n\n${explanation}\n\nWhat to do: ${hint}\n`;
    });
}

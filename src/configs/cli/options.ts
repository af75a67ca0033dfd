/** The options of the commands that read configs and traces. */
import { dialects } from '../core/dialect.ts';
import { releaseNames, type Program } from '../core/key-tables/releases.ts';
import { choice, flag, repeated, text, type Values } from '../../base/node/terminal/commandLine.ts';

function quoted(program: Program): string {
  return releaseNames(program).join(', ');
}

/** The releases whose keys and defaults apply, in place of those that are found. */
const releaseOptions = {
  release: repeated(
    text(
      '<program=release>',
      `Keys and defaults of this release, in place of the installed one: agentjet=${quoted('ajet')} or trinity=${quoted('trinity')}. Can be repeated.`,
    ),
  ),
};

export const checkFormats = ['text', 'json', 'sarif'] as const;
export const checkOptions = {
  format: choice(
    '<format>',
    checkFormats,
    'text: file:line:column severity rule message (default). json: [{file, dialect, diagnostics}]; dialect is null for other files. sarif: SARIF 2.1.0 for code scanning.',
  ),
  rule: repeated(
    text('<id=severity>', 'Severity of a rule: off, error, warning, information or hint. Can be repeated.'),
  ),
  ...releaseOptions,
};
export type CheckValues = Values<typeof checkOptions>;

export const configTargets = ['ajet', 'trinity', 'verl'] as const;
export const configFormats = ['yaml', 'json'] as const;
export const diffOptions = {
  to: choice(
    '<target>',
    configTargets,
    'ajet: composed, as AgentJet reads it (default). trinity, verl: converted for that backbone.',
  ),
  format: choice('<format>', configFormats, 'How to print it (default: yaml).'),
  ...releaseOptions,
};
export type DiffValues = Values<typeof diffOptions>;
export const configOptions = {
  ...diffOptions,
  origin: flag(
    'Adds the origin of each value: as comments in YAML, in JSON as {"config": …, "origins": {"a.b": "place"}}.',
  ),
  secrets: flag('Also prints secrets, such as API keys. With --key, they stay hidden.'),
  key: text('<key>', 'Prints only the origin of this backbone key. The last part of its name is enough.'),
};
export type ConfigValues = Values<typeof configOptions>;

export const schemaNames = dialects.map(({ id }) => id);

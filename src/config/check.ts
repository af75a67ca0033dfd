import type { ConfigContext } from './context.ts';
import { diagnose } from './diagnose.ts';
import type { Finding } from './finding.ts';
import { contextRules } from './rules/across/index.ts';

/** Everything that is wrong with a config, in the order of the text. */
export function check(context: ConfigContext): Finding[] {
  const { document, dialect } = context;
  const findings = [...diagnose(document, dialect.keys()), ...contextRules.flatMap((rule) => rule(context))];
  return findings.sort((a, b) => a.range.start.offset - b.range.start.offset);
}

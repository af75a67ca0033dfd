import type { ConfigContext } from './context.ts';
import { diagnose } from './diagnose.ts';
import { withSeverity, type Finding } from './finding.ts';
import { contextRules } from './rules/across/index.ts';
import type { RuleId } from './rules/catalog.ts';
import { withoutEchoes } from './rules/echoes.ts';
import { placeRules } from './rules/placeRules.ts';
import type { Severity } from './rules/ruleEntry.ts';
import { suppress } from './suppress.ts';

/** What its users set about checking. */
export interface CheckSettings {
  /** How seriously a rule is taken, whatever it says itself. */
  readonly rules?: Readonly<Partial<Record<RuleId, Severity | 'off'>>> | undefined;
}

/** Everything that is wrong with a config, in the order of the text. */
export function check(context: ConfigContext, settings: CheckSettings = {}): Finding[] {
  const { document, dialect } = context;
  const { rules = {} } = settings;
  const told = [
    ...diagnose(document, dialect.keys(), { dialect, facts: context.facts }),
    ...placeRules.flatMap((rule) => rule(context)),
    ...contextRules.flatMap((rule) => rule(context)),
  ];
  return suppress(document, withoutEchoes(told), (rule) => rules[rule] !== 'off')
    .flatMap((found) => {
      const wanted = rules[found.rule] ?? found.severity;
      return wanted === 'off' ? [] : [withSeverity(found, wanted)];
    })
    .sort(byPlace);
}

/** In the order of the text; of two at one place, what a value itself gets wrong comes first. */
function byPlace(a: Finding, b: Finding): number {
  return a.range.start.offset - b.range.start.offset;
}

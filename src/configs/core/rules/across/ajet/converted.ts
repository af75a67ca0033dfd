import { conversionRules } from '../../../convert/conversionRules.ts';
import type { Finding } from '../../../finding.ts';
import { quotedList, quotedName, keyFinding } from '../report.ts';
import type { Settings } from '../settings.ts';
import { underBackbone, type Training } from './backbone.ts';

const trainings: readonly Training[] = ['verl', 'trinity'];

/** The launcher stops at a null in any key that it copies for a backbone. `whole` has the file's top for its root. */
export function nullConverted(settings: Settings, whole: Settings): Finding[] {
  const nulls = new Map<string, { readonly training: Training; readonly targets: string[] }>();
  for (const training of trainings) {
    if (underBackbone(settings, training, 'error') === undefined) continue;
    for (const { sources, target } of conversionRules(training)) {
      for (const source of sources) {
        if (!whole.isNull(source) || whole.typed(source) === undefined) continue;
        const known = nulls.get(source);
        if (known === undefined) nulls.set(source, { training, targets: [target] });
        else if (known.training === training) known.targets.push(target);
      }
    }
  }
  return [...nulls].flatMap(([source, { training, targets }]) =>
    keyFinding(whole, 'null-not-convertible', {
      severity: underBackbone(settings, training, 'error'),
      at: [source],
      message: `${quotedName(source)} is null, and the launcher stops when it copies it to ${quotedList(targets)} for ${training}. Remove the key to use its default, or set a value.`,
    }),
  );
}

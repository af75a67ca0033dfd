import type { ConfigContext } from '../../../context.ts';
import type { Finding } from '../../../finding.ts';
import { sectionSource, Settings } from '../settings.ts';
import { expectedSteps, miniBatch, trinityBatch, verlBatch } from './batches.ts';
import { gpuShare, tensorParallel, ulyssesGroups } from './gpus.ts';
import { judgeReader, rubrics, taskIds } from './judges.ts';
import { lengths, turnLength, turns } from './lengths.ts';
import {
  estimatorRefused,
  groupSize,
  klTwice,
  oversampling,
  validationPasses,
  validationSampling,
} from './repeats.ts';
import {
  environmentKeys,
  fixedBatches,
  interchangeNodes,
  lostTimelines,
  madnessChecklist,
  portClash,
  unknownLogger,
} from './services.ts';
import { loraSettings, swarmMode } from './swarm.ts';
import { conversionRules } from '../../../convert/conversionRules.ts';
import { quotedName, quotedList, scalarText } from '../report.ts';
import { underBackbone, type Training } from './backbone.ts';
import { failingClause, type Condition } from '../../../key-tables/condition.ts';
import type { KeyNode } from '../../../key-tables/keyTable.ts';
import type { ScalarValue } from '../../../scalar.ts';
import { visitAll } from '../../visit.ts';

const trainings: readonly Training[] = ['verl', 'trinity'];

/** The launcher stops at a null in any key that it copies for a backbone. `whole` has the file's top for its root. */
function nullConverted(settings: Settings, whole: Settings): void {
  const nulls = new Map<string, { readonly training: Training; readonly targets: string[] }>();
  for (const training of trainings) {
    if (underBackbone(settings, training, 'error') === undefined) continue;
    const { installed } = settings.context.composition;
    const table = conversionRules(training, installed?.tables);
    for (const { sources, target } of table.filter(({ whenNull }) => whenNull === undefined)) {
      for (const source of sources) {
        if (!whole.isNull(source) || whole.typed(source) === undefined) continue;
        const known = nulls.get(source);
        if (known === undefined) nulls.set(source, { training, targets: [target] });
        else if (known.training === training) known.targets.push(target);
      }
    }
  }
  for (const [source, { training, targets }] of nulls) {
    whole.report('null-not-convertible', {
      severity: underBackbone(settings, training, 'error'),
      at: [source],
      message: `${quotedName(source)} is null, and the launcher stops when it copies it to ${quotedList(targets)} for ${training}. Remove the key to use its default, or set a value.`,
    });
  }
}

const rules: readonly ((settings: Settings) => void)[] = [
  lengths,
  turnLength,
  turns,
  verlBatch,
  trinityBatch,
  miniBatch,
  expectedSteps,
  gpuShare,
  tensorParallel,
  ulyssesGroups,
  groupSize,
  estimatorRefused,
  oversampling,
  validationPasses,
  validationSampling,
  klTwice,
  judgeReader,
  rubrics,
  taskIds,
  environmentKeys,
  interchangeNodes,
  portClash,
  unknownLogger,
  madnessChecklist,
  lostTimelines,
  swarmMode,
  loraSettings,
];

/** Rules on the section that an AgentJet config is written in, whatever it is called in this dialect. */
export function ajetRules(context: ConfigContext): readonly Finding[] {
  const { section } = context.dialect;
  if (section === undefined) return [];
  const settings = new Settings(context, sectionSource(context, [section]));
  const whole = new Settings(context, sectionSource(context, []));
  for (const rule of rules) rule(settings);
  fixedBatches(settings, whole);
  nullConverted(settings, whole);
  unreadKeys(whole);
  return [...settings.findings, ...whole.findings];
}

/**
 * Finds keys that are set but not read because of another key. Sections of unused readers and judges are not
 * reported. If the file does not set a backbone for training, keys that depend on the backbone are not reported
 * either.
 */
function unreadKeys(settings: Settings): void {
  const { document, dialect } = settings.context;
  for (const { node, key } of visitAll(document, dialect.keys())) {
    // Null means that there is nothing to apply.
    const isNothing = node.kind === 'mapping' || (node.kind === 'scalar' && node.type === 'null');
    const condition = isNothing ? undefined : key?.info?.condition;
    if (key !== undefined && condition !== undefined && !/[[{]/.test(key.path))
      unread(settings, key, condition);
  }
}

function unread(settings: Settings, { path, parent }: KeyNode, condition: Condition): void {
  const read = (asked: string): ScalarValue | undefined => {
    const value = settings.scalar(asked);
    return asked.endsWith('.backbone') && value === 'debug' ? undefined : value;
  };
  const failing = failingClause(condition, read);
  const around = parent?.info?.condition;
  // Where the section is not read either, it is one that is kept for another time.
  if (around !== undefined && failingClause(around, read) !== undefined) return;
  if (failing === undefined) return;
  settings.report('not-applied', {
    at: [path],
    message: `${quotedName(path)} has no effect. It is read only if \`${failing.path}\` is ${quotedList(failing.values, 'or')}, but that is \`${scalarText(failing.value)}\`.`,
  });
}

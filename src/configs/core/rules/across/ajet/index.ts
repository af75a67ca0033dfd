import type { ConfigContext } from '../../../context.ts';
import type { Finding } from '../../../finding.ts';
import { Settings } from '../settings.ts';
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
} from './services.ts';
import { sectionSource } from '../source.ts';
import { loraSettings, swarmMode } from './swarm.ts';
import { conversionRules } from '../../../convert/conversionRules.ts';
import { quotedList, quotedName, keyFinding, scalarText } from '../report.ts';
import { underBackbone, type Training } from './backbone.ts';
import { failingClause } from '../../../key-tables/condition.ts';
import type { KeyNode } from '../../../key-tables/keyTable.ts';
import type { ScalarValue } from '../../../scalar.ts';
import { visitAll, type Visit } from '../../visit.ts';

const trainings: readonly Training[] = ['verl', 'trinity'];

/** The launcher stops at a null in any key that it copies for a backbone. `whole` has the file's top for its root. */
function nullConverted(settings: Settings, whole: Settings): Finding[] {
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

type SettingsRule = (settings: Settings) => readonly Finding[];

const rules: readonly SettingsRule[] = [
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
  madnessChecklist,
  lostTimelines,
  swarmMode,
  loraSettings,
];

/** Rules on the section that an AgentJet config is written in, whatever it is called in this dialect. */
export function ajetRules(context: ConfigContext): Finding[] {
  const { section } = context.dialect;
  if (section === undefined) return [];
  const settings = new Settings(context, sectionSource(context, [section]));
  const whole = new Settings(context, sectionSource(context, []));
  return [
    ...rules.flatMap((rule) => rule(settings)),
    ...fixedBatches(settings, whole),
    ...nullConverted(settings, whole),
    ...unreadKeys(whole),
  ];
}

/**
 * Finds keys that are set but not read because of another key. Sections of unused readers and judges are not
 * reported. If the file does not set a backbone for training, keys that depend on the backbone are not reported
 * either.
 */
function unreadKeys(settings: Settings): Finding[] {
  const { document, dialect } = settings.context;
  return visitAll(document, dialect.keys())
    .map(conditionalKey)
    .flatMap((key) => (key === undefined ? [] : unread(settings, key, key.path)));
}

/** Returns the key of a value, or of a list as a whole, that is read only under a condition. */
function conditionalKey({ node, key }: Visit): KeyNode | undefined {
  if (node.kind === 'mapping' || key?.info?.condition === undefined) return undefined;
  // Null means that there is nothing to apply.
  if (node.kind === 'scalar' && node.type === 'null') return undefined;
  return /[[{]/.test(key.path) ? undefined : key;
}

function unread(settings: Settings, key: KeyNode, path: string): Finding[] {
  const condition = key.info?.condition;
  if (condition === undefined) return [];
  const read = (asked: string): ScalarValue | undefined => {
    const value = settings.scalar(asked);
    return asked.endsWith('.backbone') && value === 'debug' ? undefined : value;
  };
  const failing = failingClause(condition, read);
  const around = key.parent?.info?.condition;
  // Where the section is not read either, it is one that is kept for another time.
  if (around !== undefined && failingClause(around, read) !== undefined) return [];
  if (failing === undefined) return [];
  return keyFinding(settings, 'not-applied', {
    at: [path],
    message: `${quotedName(path)} has no effect. It is read only if \`${failing.path}\` is ${quotedList(failing.values, 'or')}, but that is \`${scalarText(failing.value)}\`.`,
  });
}

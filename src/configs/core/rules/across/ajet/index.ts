import type { ConfigContext } from '../../../context.ts';
import type { Finding } from '../../../finding.ts';
import { Settings } from '../settings.ts';
import { expectedSteps, miniBatch, trinityBatch, verlBatch } from './batches.ts';
import { nullConverted } from './converted.ts';
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
import { unreadKeys } from './unread.ts';

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

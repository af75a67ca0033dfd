import type { ConfigContext } from '../../../context.ts';
import { conversionRules, type ConversionRule } from '../../../convert/conversionRules.ts';
import { evaluateRule } from '../../../convert/evaluateRule.ts';
import type { Finding } from '../../../finding.ts';
import { trinityKeys } from '../../../key-tables/keyTable.ts';
import { entryOf, nodeAt, stepsOf, type MappingNode, type Node, type NodePath } from '../../../node.ts';
import { underBackbone } from '../ajet/backbone.ts';
import { sectionSource, Settings, valueAt, type Source } from '../settings.ts';
import { functionArguments, groupSize, lossAggregation, offline, registered } from './algorithm.ts';
import { experienceBuffer, pipelines, tasksets, trainBatch } from './buffer.ts';
import { colocate, engineLayout, gpuShare, parallelSizes } from './cluster.ts';
import { agentModel, agentscopeTuner, concurrency, engineSwitches, overRollout } from './explorer.ts';
import { checkpointRoot, continuing, filled, mode, monitor } from './general.ts';
import { derivedLengths, externalModel, modelLengths, promptTruncation, tinker } from './model.ts';
import { adapters, intervals, syncMethod } from './synchronizer.ts';
import { trainer } from './trainer.ts';
import { TrinityView, type TrinityRule } from './view.ts';
import { quotedList } from '../report.ts';

/** Names in one message; the rest is counted. */
const mostNamed = 6;

/** A section of a stage takes the place of the whole section above, of which nothing is left. */
function lostInStages(view: TrinityView): void {
  const { root } = view.context.document;
  for (const [index, stage] of stagesOf(view.context).entries()) {
    if (stage.kind !== 'mapping') continue;
    for (const { key, value } of stage.entries) {
      const above = entryOf(root, key)?.value;
      if (above?.kind !== 'mapping' || value.kind !== 'mapping') continue;
      const lost = missingFrom(above, value, key);
      if (lost.length === 0) continue;
      const more = lost.length > mostNamed ? ` and ${lost.length - mostNamed} more` : '';
      view.report('trinity-stage-section', {
        at: [`stages.${index}.${key}`],
        message: `\`${key}\` of a stage replaces the whole \`${key}\` above, so ${quotedList(lost.slice(0, mostNamed))}${more} ${lost.length === 1 ? 'gets its default' : 'get their defaults'} here. Repeat the values that this stage needs.`,
      });
    }
  }
}

/** Paths of the values that `above` has and `below` has not. */
function missingFrom(above: MappingNode, below: MappingNode, path: string): string[] {
  return above.entries.flatMap(({ key, value }) => {
    const there = entryOf(below, key)?.value;
    const name = `${path}.${key}`;
    if (there === undefined) return [name];
    return value.kind === 'mapping' && there.kind === 'mapping' ? missingFrom(value, there, name) : [];
  });
}

function stagesOf({ document }: ConfigContext): readonly Node[] {
  const stages = nodeAt(document.root, ['stages']);
  return stages?.kind === 'sequence' ? stages.items : [];
}

/** The rules that also apply to the unchanged keys under `trinity:` of an AgentJet config. */
const commonRules: readonly TrinityRule[] = [
  mode,
  monitor,
  continuing,
  registered,
  lossAggregation,
  functionArguments,
  modelLengths,
  promptTruncation,
  externalModel,
  tinker,
  engineSwitches,
  overRollout,
  concurrency,
  agentModel,
  agentscopeTuner,
  syncMethod,
  adapters,
  intervals,
  experienceBuffer,
  pipelines,
];

/** The rules that an AgentJet config reports for its own keys, or that its launcher handles. */
const ownRules: readonly TrinityRule[] = [
  checkpointRoot,
  filled,
  derivedLengths,
  offline,
  groupSize,
  parallelSizes,
  engineLayout,
  gpuShare,
  colocate,
  trainBatch,
  tasksets,
  trainer,
];

/** The rules of Trinity's own validator, on a file in Trinity's format or on the `trinity:` of an AgentJet config. */
export function trinityRules(context: ConfigContext): Finding[] {
  return context.dialect.section === undefined ? ownFile(context) : embedded(context);
}

function ownFile(context: ConfigContext): Finding[] {
  const whole = new TrinityView(context, sectionSource(context, []));
  const stages = stagesOf(context).map((_, index) => stageView(context, index));
  lostInStages(whole);
  const views = stages.length === 0 ? [whole] : stages;
  for (const view of views) for (const rule of [...commonRules, ...ownRules]) rule(view);
  return distinct([whole, ...stages].flatMap(({ findings }) => findings));
}

/** A stage: its sections in place of those above. */
function stageView(context: ConfigContext, index: number): TrinityView {
  const whole = sectionSource(context, []);
  const stage: NodePath = ['stages', index];
  const placed = (path: NodePath): NodePath => {
    const [section] = path;
    const own = section !== undefined && nodeAt(context.document.root, [...stage, section]) !== undefined;
    return own ? [...stage, ...path] : path;
  };
  return new TrinityView(context, {
    value: (path) => whole.value(placed(path)),
    places: (path) => [placed(path)],
    info: (path) => whole.info(path),
  });
}

/** The release that AgentJet asks for. */
const pinned = '0.4.0';

function embedded(context: ConfigContext): Finding[] {
  const { section } = context.dialect;
  const { root } = context.document;
  if (section === undefined || nodeAt(root, ['trinity'])?.kind !== 'mapping') return [];
  const settings = new Settings(context, sectionSource(context, [section]));
  const view = new TrinityView(context, launchedSource(context), {
    version: pinned,
    weigh: (severity) => underBackbone(settings, 'trinity', severity),
  });
  for (const rule of commonRules) rule(view);
  return distinct(view.findings);
}

/** Returns the values that the launcher passes to Trinity: converted keys win over those under `trinity`. */
function launchedSource(context: ConfigContext): Source {
  const { config, installed } = context.composition;
  const rules = new Map<string, ConversionRule>();
  for (const rule of conversionRules('trinity', installed?.tables)) rules.set(rule.target, rule);
  return {
    value: (path) => {
      const rule = rules.get(path.join('.'));
      if (rule === undefined) return valueAt(config.root, ['trinity', ...path]);
      return evaluateRule(rule, config).value ?? 'unknown';
    },
    places: (path) => {
      const rule = rules.get(path.join('.'));
      return rule === undefined ? [['trinity', ...path]] : rule.sources.map(stepsOf);
    },
    info: (path) => trinityKeys(installed?.releases).find(path)?.info,
  };
}

/** Stages that share a section would report it once each. */
function distinct(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ rule, range, message }) => {
    const id = `${rule} ${range.start.offset} ${message}`;
    return !seen.has(id) && seen.add(id);
  });
}

import agents from '../data/agents.json' with { type: 'json' };
import { quotedName, scalarText } from '../report.ts';
import { engineSections, rollout } from './cluster.ts';
import { functionAdapters, tunerProblem } from '../../../trinity/tuneConfig.ts';
import type { TrinityView } from './view.ts';

const ratio = 'explorer.over_rollout.ratio';
const partial = 'explorer.over_rollout.return_partial_tasks';
const style = 'synchronizer.sync_style';

export function engineSwitches(view: TrinityView): void {
  const auxiliary = engineSections(view)?.slice(1) ?? [];
  const forced = [
    ...auxiliary.flatMap((section) => [
      { key: `${section}.enable_openai_api`, to: true, why: 'Calls to an auxiliary model need it' },
      { key: `${section}.enable_history`, to: false, why: 'An auxiliary model is not trained' },
    ]),
    ...(view.isMode('serve')
      ? [{ key: `${rollout}.enable_openai_api`, to: true, why: 'Mode `serve` provides this API' }]
      : []),
  ];
  for (const section of auxiliary) {
    if (!view.isEmpty(`${section}.model_path`) || !view.local) continue;
    view.report('trinity-auxiliary-model', {
      at: [`${section}.model_path`, section],
      message: 'An auxiliary model needs a `model_path`. Otherwise Trinity does not start.',
    });
  }
  for (const { key, to, why } of forced) {
    if (view.flag(key) !== !to || view.typed(key) === undefined) continue;
    const message = `${why}: ${quotedName(key)} becomes ${to}.`;
    view.report('trinity-value-rewritten', { at: [key], message, becomes: to, set: [[key, to]] });
  }
}

export function overRollout(view: TrinityView): void {
  const share = view.number(ratio);
  const early = view.flag(partial);
  // A ratio below 0 is never looked at.
  if (share === undefined || (share <= 0 && early !== true)) return;
  if (share < 0 || share >= 1) {
    const message = `${view.shown(ratio)} must be at least 0 and less than 1. Otherwise Trinity does not start.`;
    view.report('trinity-over-rollout', { at: [ratio], message });
  }
  if (view.text(style)?.toLowerCase() === 'fixed') {
    view.report('trinity-over-rollout', {
      at: [style, ratio, partial],
      message: `Over-rollout (${view.shown(share === 0 ? partial : ratio)}) does not work with ${view.shown(style)}, so Trinity does not start. Set \`sync_style\` to \`dynamic_by_explorer\`.`,
      set: [[style, 'dynamic_by_explorer']],
    });
  }
}

export function concurrency(view: TrinityView): void {
  const mode = view.text('explorer.concurrent_mode');
  const key = 'explorer.runner_per_model';
  const [runners, batch, count] = [
    view.number(key),
    view.number('buffer.batch_size'),
    view.number(`${rollout}.engine_num`),
  ];
  if (mode === undefined || mode === 'sequential' || runners === undefined) return;
  if (batch === undefined || count === undefined || count < 1) return;
  const most = Math.ceil(batch / count);
  if (runners <= most) return;
  view.report('trinity-concurrency', {
    since: '0.4',
    at: [key, 'explorer.concurrent_mode'],
    message: `\`batch_size\` ${batch} ÷ \`engine_num\` ${count} leaves ${most} tasks per engine, fewer than ${view.shown(key)}. With \`concurrent_mode\` \`${mode}\` it becomes ${most}.`,
    becomes: most,
    set: [[key, most, 'Lower']],
  });
}

const agentWorkflows: readonly string[] = agents.workflows;
const toolWorkflows: readonly string[] = agents.usingTools;

/** Agent frameworks speak to the engine through its OpenAI API, and are trained on what it remembers. */
export function agentModel(view: TrinityView): void {
  const found = workflows(view).find(({ name }) => agentWorkflows.includes(name));
  if (found === undefined || view.isMode('train')) return;
  const needed = [
    { key: `${rollout}.enable_openai_api`, why: 'the agent gets an error when it requests an OpenAI client' },
    {
      key: `${rollout}.enable_history`,
      why: 'the calls of the agent are not recorded, so there is nothing to train on',
    },
  ];
  for (const { key, why } of needed) {
    if (view.flag(key) !== false) continue;
    view.report('trinity-agent-model', {
      at: [key, found.key],
      message: `The workflow \`${found.name}\` needs \`${key}: true\`. Without it, ${why}.`,
      set: [[key, true]],
    });
  }
  const [choice, parser] = [`${rollout}.enable_auto_tool_choice`, `${rollout}.tool_call_parser`] as const;
  if (!toolWorkflows.includes(found.name)) return;
  if (view.flag(choice) === false || view.isNull(parser)) {
    view.report('trinity-agent-model', {
      severity: 'information',
      at: [choice, parser, found.key],
      message: `The workflow \`${found.name}\` calls tools. The engine reads tool calls from replies only with \`enable_auto_tool_choice: true\` (it is ${scalarText(view.scalar(choice))}) and a \`tool_call_parser\` (it is ${scalarText(view.scalar(parser))}).`,
    });
  }
}

/** The functions of AgentScope's tuner need the package that has it. */
export function agentscopeTuner(view: TrinityView): void {
  const { composition, references } = view.context;
  const version = composition.installed?.agentscope;
  const adapter = workflows(view).find(({ name }) => Object.values<string>(functionAdapters).includes(name));
  const called = adapter?.name === functionAdapters.tune ? 'tune' : adapter && 'tuner';
  const name = references.script?.package ?? called;
  const problem = version !== undefined && name !== undefined && tunerProblem(name, version);
  if (!problem) return;
  view.report('agentscope-tuner', {
    at: [adapter?.key ?? '', 'buffer.explorer_input', 'buffer', 'algorithm', 'model', 'project', 'name'],
    message: `${problem.message} ${problem.hint}`,
  });
}

function workflows(view: TrinityView): { readonly key: string; readonly name: string }[] {
  const input = 'buffer.explorer_input';
  const sections = [`${input}.taskset`, ...view.items(`${input}.tasksets`), input];
  const keys = sections.map((section) => `${section}.default_workflow_type`);
  return keys.flatMap((key) => {
    const name = view.text(key);
    return name === undefined ? [] : [{ key, name }];
  });
}

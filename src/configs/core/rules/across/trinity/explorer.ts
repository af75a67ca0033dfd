import type { Finding } from '../../../finding.ts';
import agents from '../data/agents.json' with { type: 'json' };
import { quotedName, setValueFix, scalarText, nameAndValue } from '../report.ts';
import { engineSections, rollout } from './cluster.ts';
import type { TrinityView } from './view.ts';

const ratio = 'explorer.over_rollout.ratio';
const partial = 'explorer.over_rollout.return_partial_tasks';
const style = 'synchronizer.sync_style';

/** Settings of engines that only one value works for. */
export function engineSwitches(view: TrinityView): Finding[] {
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
  return [
    ...auxiliary.flatMap((section) => auxiliaryModel(view, section)),
    ...forced.flatMap(({ key, to, why }) => {
      if (view.flag(key) !== !to || view.typed(key) === undefined) return [];
      const message = `${why}: ${quotedName(key)} becomes ${to}.`;
      return view.report('trinity-value-rewritten', {
        at: [key],
        message,
        fixes: () => setValueFix(view, key, to),
      });
    }),
  ];
}

function auxiliaryModel(view: TrinityView, section: string): Finding[] {
  if (!view.isEmpty(`${section}.model_path`) || !view.local) return [];
  return view.report('trinity-auxiliary-model', {
    at: [`${section}.model_path`, section],
    message: 'An auxiliary model needs a `model_path`. Otherwise Trinity does not start.',
  });
}

/** Not waiting for the last runs of a batch. */
export function overRollout(view: TrinityView): Finding[] {
  const share = view.number(ratio);
  const early = view.flag(partial);
  // A ratio below 0 is never looked at.
  if (share === undefined || (share <= 0 && early !== true)) return [];
  const findings: Finding[] = [];
  if (share < 0 || share >= 1) {
    const message = `${nameAndValue(view, ratio)} must be at least 0 and less than 1. Otherwise Trinity does not start.`;
    findings.push(...view.report('trinity-over-rollout', { at: [ratio], message }));
  }
  if (view.text(style)?.toLowerCase() === 'fixed') {
    findings.push(
      ...view.report('trinity-over-rollout', {
        at: [style, ratio, partial],
        message: `Over-rollout (${nameAndValue(view, share === 0 ? partial : ratio)}) does not work with ${nameAndValue(view, style)}, so Trinity does not start. Set \`sync_style\` to \`dynamic_by_explorer\`.`,
        fixes: () => setValueFix(view, style, 'dynamic_by_explorer'),
      }),
    );
  }
  return findings;
}

/** Checks that engines have room for the concurrent runs of one task. */
export function concurrency(view: TrinityView): Finding[] {
  const mode = view.text('explorer.concurrent_mode');
  const key = 'explorer.runner_per_model';
  const [runners, batch, count] = [
    view.number(key),
    view.number('buffer.batch_size'),
    view.number(`${rollout}.engine_num`),
  ];
  if (mode === undefined || mode === 'sequential' || runners === undefined) return [];
  if (batch === undefined || count === undefined || count < 1) return [];
  const most = Math.ceil(batch / count);
  if (runners <= most) return [];
  return view.report('trinity-concurrency', {
    since: '0.4',
    at: [key, 'explorer.concurrent_mode'],
    message: `\`batch_size\` ${batch} ÷ \`engine_num\` ${count} leaves ${most} tasks per engine, fewer than ${nameAndValue(view, key)}. With \`concurrent_mode\` \`${mode}\` it becomes ${most}.`,
    fixes: () => setValueFix(view, key, most, 'Lower'),
  });
}

const agentWorkflows: readonly string[] = agents.workflows;
const toolWorkflows: readonly string[] = agents.usingTools;

/** Agent frameworks speak to the engine through its OpenAI API, and are trained on what it remembers. */
export function agentModel(view: TrinityView): Finding[] {
  const found = workflows(view).find(({ name }) => agentWorkflows.includes(name));
  if (found === undefined || view.isMode('train')) return [];
  const needed = [
    { key: `${rollout}.enable_openai_api`, why: 'the agent gets an error when it requests an OpenAI client' },
    {
      key: `${rollout}.enable_history`,
      why: 'the calls of the agent are not recorded, so there is nothing to train on',
    },
  ];
  const findings = needed.flatMap(({ key, why }) => {
    if (view.flag(key) !== false) return [];
    return view.report('trinity-agent-model', {
      at: [key, found.key],
      message: `The workflow \`${found.name}\` needs \`${key}: true\`. Without it, ${why}.`,
      fixes: () => setValueFix(view, key, true),
    });
  });
  if (!toolWorkflows.includes(found.name)) return findings;
  const tools = [`${rollout}.enable_auto_tool_choice`, `${rollout}.tool_call_parser`] as const;
  const [choice, parser] = tools;
  if (view.flag(choice) === false || view.isNull(parser)) {
    findings.push(
      ...view.report('trinity-agent-model', {
        severity: 'information',
        at: [choice, parser, found.key],
        message: `The workflow \`${found.name}\` calls tools. The engine reads tool calls from replies only with \`enable_auto_tool_choice: true\` (it is ${scalarText(view.scalar(choice))}) and a \`tool_call_parser\` (it is ${scalarText(view.scalar(parser))}).`,
      }),
    );
  }
  return findings;
}

function workflows(view: TrinityView): { readonly key: string; readonly name: string }[] {
  const input = 'buffer.explorer_input';
  const sets = Array.from(
    { length: view.count(`${input}.tasksets`) ?? 0 },
    (_, index) => `${input}.tasksets.${index}`,
  );
  const keys = [`${input}.taskset`, ...sets, input].map((section) => `${section}.default_workflow_type`);
  return keys.flatMap((key) => {
    const name = view.text(key);
    return name === undefined ? [] : [{ key, name }];
  });
}

import type { TrinityView } from './view.ts';

const method = 'synchronizer.sync_method';
const interval = 'synchronizer.sync_interval';
const evaluation = 'explorer.eval_interval';
const lora = 'model.lora_configs';

export function syncMethod(view: TrinityView): void {
  if (view.syncMethod !== 'nccl' || !view.local || view.algorithm?.modes !== undefined) return;
  const alone = view.isMode('train', 'explore', 'bench', 'serve');
  const becomes = alone ? 'checkpoint' : view.isMode('colocate') ? 'memory' : undefined;
  if (becomes === undefined || view.mode === undefined) {
    loraMethod(view);
    return;
  }
  const why = alone
    ? 'has no other process to send weights to directly'
    : 'has the explorer and the trainer on one GPU';
  view.report('trinity-sync-method', {
    severity: view.typed(method) === undefined ? 'information' : 'warning',
    at: [method, 'mode'],
    message: `Mode \`${view.mode}\` ${why}: ${view.shown(method)} becomes \`${becomes}\`.`,
    becomes,
    set: [[method, becomes]],
  });
}

function loraMethod(view: TrinityView): void {
  const count = view.count(lora);
  if (count === undefined || count < 1) return;
  view.report('trinity-sync-method', {
    severity: view.typed(method) === undefined ? 'information' : 'warning',
    at: [method, lora],
    message: `LoRA weights are sent as checkpoints, so ${view.shown(method)} becomes \`checkpoint\`.`,
    becomes: 'checkpoint',
    set: [[method, 'checkpoint']],
  });
}

export function adapters(view: TrinityView): void {
  const count = view.count(lora);
  if (count === undefined || count < 1 || !view.local) return;
  if (count > 1) {
    const message = `\`lora_configs\` has ${count} entries, but Trinity starts only with one.`;
    view.report('trinity-lora', { at: [lora], message });
    return;
  }
  const path = `${lora}.0.path`;
  if (!view.isEmpty(path)) return;
  const message = 'There is no `path`, so Trinity creates an adapter from the base model.';
  view.report('trinity-default-applied', { at: [path, lora], message });
}

export function intervals(view: TrinityView): void {
  const every = view.number(interval);
  if (every === undefined) return;
  // Algorithms that only train have the interval set for them.
  if (view.algorithm?.modes !== undefined) return;
  if (every <= 0) {
    if (view.info(interval)?.min !== undefined) return;
    const message = `${view.shown(interval)} must be more than 0. Otherwise an assertion fails when Trinity starts.`;
    view.report('trinity-intervals', { at: [interval], message });
    return;
  }
  if (!view.isMode('bench', 'train')) evaluationInterval(view, every);
}

function evaluationInterval(view: TrinityView, every: number): void {
  const own = view.scalar('synchronizer.explorer_sync_interval');
  if (own === undefined) return;
  const step = typeof own === 'number' && own > 0 ? own : every;
  const between = view.number(evaluation);
  if (between === undefined || between % step === 0) return;
  const becomes = Math.max(step, Math.floor(between / step) * step);
  view.report('trinity-eval-interval', {
    at: [evaluation, interval],
    message: `${view.shown(evaluation)} is not a multiple of the ${step} steps between two synchronizations, and becomes ${becomes}.`,
    becomes,
    set: [[evaluation, becomes]],
  });
}

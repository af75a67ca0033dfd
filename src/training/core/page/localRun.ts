/** Presents a training in a folder of this machine as the page of a training run shows it. */
import * as l10n from '@vscode/l10n';
import type { MetricsLine, TrainingState } from '../../../backbone/core/trainer/trainerPorts.ts';
import { expectedInAll, limitsOf, tokensOf } from '../../../backbone/core/trainer/trainingBudget.ts';
import type { TrainingUsage } from '../../../backbone/core/protocol/run.ts';
import type { RunState } from '../protocol/runs.ts';
import { rewardIn } from '../runs/metrics.ts';
import type { PageCheckpoint, PageRun } from './trainingRunRpc.ts';

/** The host of trainings in folders of this machine. */
export const thisMachine = '';

export interface LocalFacts {
  /** Absolute. */
  readonly folder: string;
  readonly name: string;
  readonly state: TrainingState;
  readonly savedAt: number;
  readonly isAlive: boolean;
  readonly traces: readonly string[];
  /** The mean rewards by step. */
  readonly rewards: ReadonlyMap<number, number>;
}

export function rewardOf({ values }: MetricsLine): number | undefined {
  return rewardIn(values)?.value;
}

export function localRun({ folder, name, state, savedAt, isAlive, traces, rewards }: LocalFacts): PageRun {
  const { baseModel, loss, rank, step, startedAt, usage } = state;
  const server = serverText(state);
  const runState = stateOf(state.status, isAlive);
  const expected = runState === 'running' ? expectedInAll(state) : undefined;
  return {
    host: thisMachine,
    record: {
      ...{ id: folder, name, launcher: 'tinker', backbone: 'tinker', config: state.config, owner: '' },
      ...{ gpus: 0, devices: [], state: runState, reason: state.reason ?? null, phase: null, exitCode: null },
      ...{ step: step === 0 ? null : step, totalSteps: state.totalSteps, reward: rewards.get(step) ?? null },
      ...{ createdAt: startedAt, startedAt, endedAt: runState === 'running' ? null : savedAt, from: null },
    },
    ahead: null,
    may: { start: true, cancel: false },
    rollouts: traces.length > 0,
    local: {
      ...{ baseModel, ...(server !== undefined && { server }), loss, rank, traces: [...traces] },
      ...(usage && { usage: withTokens(usage), limits: limitsOf(state) }),
      ...(expected && { expected: withTokens(expected) }),
    },
  };
}

function withTokens(usage: TrainingUsage): TrainingUsage & { readonly tokens: number } {
  return { ...usage, tokens: tokensOf(usage) };
}

function serverText({ baseUrl, tinkerHost }: TrainingState): string | undefined {
  return tinkerHost === undefined ? baseUrl : l10n.t('GPU host {0}', tinkerHost);
}

export function localCheckpoints({
  state,
  rewards,
}: Pick<LocalFacts, 'state' | 'rewards'>): PageCheckpoint[] {
  return state.checkpoints.map(({ step, path, sampler, savedAt }) => ({
    ...{ step, path, sampler, modifiedAt: savedAt, resumable: true, huggingFace: false },
    // The files are on the server.
    ...{ bytes: 0, files: 0, reward: rewards.get(step) ?? null },
  }));
}

function stateOf(status: TrainingState['status'], isAlive: boolean): RunState {
  switch (status) {
    case 'running':
      return isAlive ? 'running' : 'lost';
    case 'completed':
      return 'finished';
    case 'limit-reached':
      return 'cancelled';
    case 'cancelled':
    case 'failed':
      return status;
  }
}
